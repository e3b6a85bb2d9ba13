"""`python -m lexprint` is the same as `lexprint`."""

from lexprint.cli import main

if __name__ == "__main__":
    main()
