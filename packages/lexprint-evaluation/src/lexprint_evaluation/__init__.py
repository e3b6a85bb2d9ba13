"""Numbers and figures of the paper, measured: `lexprint evaluate`, a plugin of lexprint."""

__version__ = "0.1.0"
