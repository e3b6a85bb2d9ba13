"""Numbers and figures of the paper."""
