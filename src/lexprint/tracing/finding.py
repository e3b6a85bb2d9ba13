"""Which documents a leak may be of: those that share as much wording with it as the likeliest one, or not much less."""

from __future__ import annotations

from dataclasses import dataclass

from lexprint.registry.protocol import Registry
from lexprint.registry.records import LikelyDocument
from lexprint.text.shingles import shingles

COMPARED = 16  # wordings that are compared with a leak, if so many are about equally likely: versions of one, mostly
LOOKED_UP = 64  # wordings of which it is known how much they share, so that what is left out can be said
COMPARABLE = 3  # a candidate shares at least one in so many of the passages that the likeliest one shares


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents to be compared with a leak.

    Documents with the same words are one question, however many names they bear: no leak can tell them apart but by their
    marks, so all of them are compared.
    """

    documents: tuple[LikelyDocument, ...]  # the likeliest first
    left_out: tuple[LikelyDocument, ...] = ()  # as likely as some of them


def find_candidates(registry: Registry, leak_text: str) -> Candidates:
    """By the wording of a leak."""
    likely = registry.likely_documents(shingles(leak_text), limit=LOOKED_UP)
    most = max((one.shared for one in likely), default=0)
    comparable = [one for one in likely if one.shared * COMPARABLE >= most]
    wordings = list(dict.fromkeys(one.wording for one in comparable))[:COMPARED]
    return Candidates(
        tuple(one for one in comparable if one.wording in wordings),
        tuple(one for one in comparable if one.wording not in wordings),
    )
