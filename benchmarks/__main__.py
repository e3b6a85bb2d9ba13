"""`python -m benchmarks` runs them all and prints their tables."""

from benchmarks import watermark

if __name__ == "__main__":
    watermark.main()
