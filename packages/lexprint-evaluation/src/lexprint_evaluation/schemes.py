"""Ways of marking by name: lexprint's own, with any gap and without either test, and its rivals.

`lexprint`, `paper` and `dense` are profiles; `paper-f2` skips two words after a site, `paper-without-synchronicity` and
`paper-without-substitutability` lack a test. `topkara` and `hao` need WordNet, `awt` a file that was trained.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.settings import Settings, find_profile
from lexprint.substitution.substituter import Substituter
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import (
    Scheme,
    paper_scheme,
    without_substitutability_test,
    without_synchronicity_test,
)
from lexprint_evaluation.marked_text import MarkedText, MarkingScheme
from lexprint_evaluation.rivals.hao import HaoCode, word_frequency
from lexprint_evaluation.rivals.synonym_code import SynonymScheme
from lexprint_evaluation.rivals.topkara import TopkaraCode
from lexprint_evaluation.sides import Side, substituter_of
from lexprint_evaluation.synonyms import thesaurus, wordnet_folder

__all__ = ["BlindScheme", "MarkedText", "MarkingScheme", "blind_schemes", "hao", "schemes", "topkara"]

_OWN = re.compile(
    r"(?P<profile>lexprint|paper|dense)(?:-f(?P<gap>[1-9]))?(?:-without-(?P<test>synchronicity|substitutability))?"
)

KNOWN = (
    "topkara, hao, awt, lexprint, paper, dense, the latter three also with -f2 or -f3, -without-synchronicity or "
    "-without-substitutability"
)


@dataclass(frozen=True)
class BlindScheme:
    """The paper's scheme, or one that lacks a test of it; nothing is read back here, so errors can be counted."""

    name: str
    scheme: Scheme = field(repr=False)

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        marked = embed_unchecked(segment(text), bits, self.scheme)
        return MarkedText(marked.text, marked.bits, marked.edits)

    def extract(self, text: str) -> tuple[int, ...]:
        return extract(segment(text), self.scheme).bits


def schemes(
    engine: Engine, names: Sequence[str], *, side: Side = "writer", trained: Path | None = None
) -> list[MarkingScheme]:
    """A way of marking for each name; `trained` is the file of AWT.

    Those of one call and profile share what the models said; call again for a reader who knows nothing of the writer.
    """
    substituters: dict[str, Substituter] = {}
    rivals: dict[str, Callable[[], MarkingScheme]] = {"topkara": topkara, "hao": hao, "awt": lambda: awt(trained)}
    return [rivals[name]() if name in rivals else _blind(engine, name, side, substituters) for name in names]


def blind_schemes(engine: Engine, names: Sequence[str], *, side: Side = "writer") -> list[BlindScheme]:
    """The same for our own alone, whose sites can be looked at."""
    substituters: dict[str, Substituter] = {}
    return [_blind(engine, name, side, substituters) for name in names]


@cache
def topkara() -> MarkingScheme:
    """Synonyms of WordNet, the more ambiguous first."""
    return SynonymScheme("topkara", TopkaraCode(thesaurus(wordnet_folder())))


@cache
def hao() -> MarkingScheme:
    """Synonyms of WordNet, ranked by how frequent they are."""
    return SynonymScheme("hao", HaoCode(thesaurus(wordnet_folder()), frequency=word_frequency))


def awt(trained: Path | None) -> MarkingScheme:
    """The adversarial watermarking transformer, as trained here."""
    if trained is None:
        raise InputError("awt has not been trained", needed="--awt FILE, made by lexprint evaluate train-awt")
    from lexprint_evaluation.rivals.awt import load  # torch is heavy, and of another extra

    return load(trained)


def _blind(engine: Engine, name: str, side: Side, substituters: dict[str, Substituter]) -> BlindScheme:
    found = _OWN.fullmatch(name)
    if found is None:
        raise InputError(f"there is no way of marking called {name}", needed=KNOWN)
    profile = find_profile(found["profile"])
    gap = int(found["gap"]) if found["gap"] else profile.watermark.gap
    settings = replace(profile, watermark=replace(profile.watermark, gap=gap))
    if profile.profile not in substituters:
        substituters[profile.profile] = substituter_of(engine, side, settings=settings)
    scheme = paper_scheme(
        substituters[profile.profile], fingerprint=_fingerprint(engine, settings), settings=settings.watermark
    )
    if found["test"] == "synchronicity":
        scheme = without_synchronicity_test(scheme)
    elif found["test"] == "substitutability":
        scheme = without_substitutability_test(scheme)
    return BlindScheme(name, scheme)


def _fingerprint(engine: Engine, settings: Settings) -> str:
    return replace(engine, settings=settings).fingerprint
