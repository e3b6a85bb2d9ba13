"""How much of this machine there is to work with."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Cores that this process may use, which can be fewer than there are: in a container, for one.

    >>> available_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
