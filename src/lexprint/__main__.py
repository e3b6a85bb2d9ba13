"""`python -m lexprint`, and the command `lexprint` itself."""

import gc


def start() -> None:
    """Load the commands without looking for garbage among them, which takes a fifth of the time that `--help` takes."""
    gc.disable()
    from lexprint.cli import main

    gc.freeze()
    gc.enable()
    main()


if __name__ == "__main__":
    start()
