"""What differs between two texts."""

from __future__ import annotations

from lexprint.text.comparison import compare
from lexprint.text.segmentation import segment
from lexprint.workflows.results import Difference


def diff(one: str, other: str) -> Difference:
    """What differs between two texts, word by word; spacing does not count.

    >>> [change.span.of("a big  house") for change in diff("a big  house", "a large house").changes]
    ['big']
    """
    documents = segment(one), segment(other)
    return Difference(*documents, compare(*documents))
