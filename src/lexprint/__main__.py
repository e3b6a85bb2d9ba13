"""`python -m lexprint`, and the command `lexprint` itself."""

import gc
import os

# Matrices here are small: several threads for one spend their time waiting for each other. Read when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def start() -> None:
    """Load the commands without looking for garbage among them, which takes a fifth of the time that `--help` takes."""
    gc.disable()
    from lexprint.cli import main

    gc.freeze()
    gc.enable()
    main()


if __name__ == "__main__":
    start()
