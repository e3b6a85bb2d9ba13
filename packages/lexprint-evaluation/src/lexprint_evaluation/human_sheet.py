"""A form on which people rate marked sentences without knowing who marked them, and the key that knows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from lexprint.errors import FormatError, InputError
from lexprint_evaluation.quality import MarkedSet

TEMPLATE = Path(__file__).with_name("rating_sheet.html")
KEY_FORMAT = "key to sentence ratings 1"
LONGEST_SENTENCE = 40  # words; nobody reads longer ones twice with care
UNMARKED = "unmarked"  # pairs in which nothing was exchanged: what raters say of no change at all


@dataclass(frozen=True)
class RatedPair:
    """What a rater sees, and what only the key knows."""

    id: str
    original: str
    version: str
    scheme: str
    title: str  # of the set


@dataclass(frozen=True)
class Sheet:
    id: str
    seed: int
    pairs: tuple[RatedPair, ...]  # in the order in which they are shown


def make_sheet(marked: Sequence[MarkedSet], *, pairs: int, unmarked: int, seed: int) -> Sheet:
    """So many changed sentences of each scheme, and some unmarked ones, in random order, no original twice.

    A scheme that is there for some of the sets only has its share: what is there for one of four sets has a quarter.
    """
    chooser = Random(f"{seed} sheet")
    sets = len({one.title for one in marked})
    chosen: list[tuple[str, str, str, str]] = []
    used: set[str] = set()
    for scheme in dict.fromkeys(one.scheme for one in marked):
        own = [one for one in marked if one.scheme == scheme]
        share = -(-pairs * len(own) // sets)
        found = _drawn([_changed(one) for one in own], chooser, used, count=share)
        if len(found) < share:
            raise InputError(
                f"{scheme} changed only {len(found)} sentences that are short enough and not yet taken",
                needed=f"{share}: more --sentences, or fewer --pairs",
            )
        chosen += [(original, version, scheme, title) for original, version, title in found]
    plain = [[(original, original, one.title) for original, _ in one.pairs if _fits(original)] for one in marked]
    chosen += [(one, other, UNMARKED, title) for one, other, title in _drawn(plain, chooser, used, count=unmarked)]
    chooser.shuffle(chosen)
    number = hashlib.sha256(json.dumps([seed, chosen]).encode()).hexdigest()[:12]
    return Sheet(number, seed, tuple(RatedPair(_id(number, index), *one) for index, one in enumerate(chosen)))


def _changed(marked: MarkedSet) -> list[tuple[str, str, str]]:
    return [(one, other, marked.title) for one, other in marked.pairs if one != other and _fits(one)]


def _fits(sentence: str) -> bool:
    return len(sentence.split()) <= LONGEST_SENTENCE


def _drawn(
    sets: Sequence[Sequence[tuple[str, str, str]]], chooser: Random, used: set[str], *, count: int
) -> list[tuple[str, str, str]]:
    """By turns from each set, as long as there are sentences that nobody has seen yet."""
    stacks = [chooser.sample(list(one), len(one)) for one in sets]
    found: list[tuple[str, str, str]] = []
    while len(found) < count and any(stacks):
        for stack in stacks:
            while stack and stack[-1][0] in used:
                stack.pop()
            if stack and len(found) < count:
                found.append(stack.pop())
                used.add(found[-1][0])
    return found


def _id(sheet: str, index: int) -> str:
    """Says nothing of the scheme."""
    return hashlib.sha256(f"{sheet} {index}".encode()).hexdigest()[:8]


def sheet_page(sheet: Sheet) -> str:
    """The form: one file, nothing from elsewhere, no scheme named."""
    shown = {
        "sheet": sheet.id,
        "pairs": [{"id": pair.id, "original": pair.original, "version": pair.version} for pair in sheet.pairs],
    }
    safe = json.dumps(shown, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    return _template().replace("__SHEET__", safe)


@cache
def _template() -> str:
    return TEMPLATE.read_text("utf-8")


def sheet_key(sheet: Sheet) -> str:
    """Who marked what; not for raters."""
    return json.dumps({"format": KEY_FORMAT, **asdict(sheet)}, ensure_ascii=False, indent=1) + "\n"


def read_key(content: bytes, *, name: str) -> Sheet:
    """The sheet that a key belongs to."""
    data = read_object(content, name=name, form=KEY_FORMAT, needed="the key that lexprint evaluate human-sheet wrote")
    try:
        pairs = tuple(RatedPair(**{field: str(value) for field, value in pair.items()}) for pair in data["pairs"])
        return Sheet(str(data["id"]), int(data["seed"]), pairs)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(name, found="damaged", needed="the key that lexprint evaluate human-sheet wrote") from error


def read_object(content: bytes, *, name: str, form: str, needed: str) -> Mapping[str, Any]:
    """A JSON object that says what it is."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(name, found="not JSON", needed=needed) from error
    if not isinstance(data, dict) or data.get("format") != form:
        raise FormatError(name, found="JSON of another kind", needed=needed)
    return data
