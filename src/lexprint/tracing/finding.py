"""Which documents a leak may be of: for each part of it, those that share as much wording as the likeliest, or not much less."""

from __future__ import annotations

from dataclasses import dataclass

from lexprint.registry.protocol import Registry
from lexprint.registry.records import LikelyDocument
from lexprint.text.shingles import shingles

COMPARED = 16  # wordings that are compared with a leak, if so many are about equally likely: versions of one, mostly
LOOKED_UP = 64  # wordings of which it is known how much they share, so that what is left out can be said
COMPARABLE = 3  # a candidate shares at least one in so many of the passages that the likeliest one shares
LEAST_PART = 8  # passages that must be in no likelier document, for a leak to be of this one too


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents to be compared with a leak.

    Documents with the same words are one question, however many names they bear: no leak can tell them apart but by their
    marks, so all of them are compared.
    """

    documents: tuple[LikelyDocument, ...]  # the likeliest first
    left_out: tuple[LikelyDocument, ...] = ()  # as likely as some of them


def find_candidates(registry: Registry, leak_text: str) -> Candidates:
    """By the wording of a leak.

    A leak may hold several documents, and those that are much longer must not hide the others: what the likeliest ones do
    not explain is looked up again, until nothing is left that could be said.
    """
    passages = set(shingles(leak_text))
    compared: set[str] = set()  # wordings
    documents: list[LikelyDocument] = []
    left_out: list[LikelyDocument] = []
    while len(left_out) < LOOKED_UP:
        known = {one.document_id for one in (*documents, *left_out)}
        found = registry.likely_documents(sorted(passages), limit=LOOKED_UP)
        likely = [one for one in found if one.document_id not in known]
        most = max((one.shared for one in likely), default=0)
        if not most or (documents and most < LEAST_PART):
            break
        for one in likely:
            if one.shared * COMPARABLE >= most:
                if one.wording not in compared and len(compared) < COMPARED:
                    compared.add(one.wording)
                    passages.difference_update(shingles(registry.document(one.document_id).text))
                (documents if one.wording in compared else left_out).append(one)
    return Candidates(tuple(documents), tuple(left_out))
