"""Is this text marked? A keyed mark without a payload, and the test for it."""

from __future__ import annotations

from dataclasses import dataclass

from lexprint.coding.keys import MasterKey
from lexprint.coding.presence import preferences, tally
from lexprint.engine import Engine
from lexprint.text.segmentation import segment
from lexprint.watermark.extract import extract as read_sites
from lexprint.watermark.presence import embed_by_pair, votes_of
from lexprint.workflows.marking import scheme_of

PROFILE = "presence"
FALSE_POSITIVE = (
    0.05  # balanced accuracy weighs a false alarm as much as a miss; more misses are saved by less than this costs
)


@dataclass(frozen=True)
class Presence:
    """What the sites of a text say about the mark."""

    is_marked: bool
    p_value: float  # chance that a text without the mark looks as much like one with it
    agreeing: int
    votes: int
    fingerprint: str


def mark_presence(engine: Engine, text: str, *, key: MasterKey) -> str:
    """The text with every site set as the key prefers; a text without sites stays as it is."""
    document = segment(text)
    if not document.sentences:
        return text
    return embed_by_pair(document, preferences(key), scheme_of(engine)).text


def detect_presence(engine: Engine, text: str, *, key: MasterKey, false_positive: float = FALSE_POSITIVE) -> Presence:
    """Whether the key's mark is in a text, however it was cut, moved or edited; nothing else is needed."""
    document = segment(text)
    sites = read_sites(document, scheme_of(engine)).sites if document.sentences else ()
    found = tally(votes_of(sites), preferences(key))
    return Presence(
        found.p_value <= false_positive, found.p_value, found.agreeing, found.votes, fingerprint=engine.fingerprint
    )
