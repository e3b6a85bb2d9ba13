"""Text to token ids, for models that read one or two segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from lexprint.errors import ModelError
from lexprint.models.onnx_backend import Tokens

CONTINUING = "##"  # begins a piece that goes on with the word before it


@dataclass(frozen=True, kw_only=True)
class SpecialTokens:
    """What a model calls the tokens that are no words."""

    first: str = "[CLS]"
    last: str = "[SEP]"
    mask: str = "[MASK]"


class PairTokenizer:
    """A BERT-like tokenizer: [CLS] first [SEP] second [SEP]."""

    def __init__(self, definition: bytes, *, special: SpecialTokens = SpecialTokens()) -> None:  # frozen
        try:
            self._tokenizer = Tokenizer.from_buffer(definition)
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError("the tokenizer cannot be read; reinstall lexprint") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        tokens: dict[str, int] = self._tokenizer.get_vocab()
        self._continuing = frozenset(number for token, number in tokens.items() if token.startswith(CONTINUING))
        self.cls, self.sep, self.mask = (self._special(name) for name in (special.first, special.last, special.mask))

    def _special(self, name: str) -> int:
        number: int | None = self._tokenizer.token_to_id(name)
        if number is None:
            raise ModelError(f"the tokenizer has no {name} token; needed: one of a BERT-like model")
        return number

    @property
    def vocabulary(self) -> tuple[str, ...]:
        tokens: dict[str, int] = self._tokenizer.get_vocab()
        return tuple(sorted(tokens, key=tokens.__getitem__))

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, without special tokens."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def has_at_most(self, count: int, text: str) -> bool:
        """Whether a text has so many pieces or fewer; ASCII has no more pieces than characters, so it is rarely cut."""
        return (text.isascii() and len(text) <= count) or len(self.pieces([text])[0]) <= count

    def one(self, first: Sequence[int], *, position: int = 0) -> Tokens:
        ids = (self.cls, *first, self.sep)
        return Tokens(ids, (0,) * len(ids), position)

    def pair(self, first: Sequence[int], second: Sequence[int], *, position: int = 0) -> Tokens:
        ids = (self.cls, *first, self.sep, *second, self.sep)
        return Tokens(ids, (0,) * (len(first) + 2) + (1,) * (len(second) + 1), position)

    def changed_pair(self, first: Sequence[int], second: Sequence[int]) -> Tokens:
        """A pair that says where its sentences differ, if that is one word: at the first piece of it."""
        place = self._changed_word(first, second)
        changed = (0, 0) if place is None else (1 + place, len(first) + 2 + place)
        return replace(self.pair(first, second), changed=changed)

    def _changed_word(self, first: Sequence[int], second: Sequence[int]) -> int | None:
        """Where the one word begins that is another in the second text, counted in pieces; None if there is no such."""
        same = zip(first, second, strict=False)
        start = next((index for index, (one, other) in enumerate(same) if one != other), min(len(first), len(second)))
        if start == len(first) == len(second):
            return None
        while start and any(text[start : start + 1] and text[start] in self._continuing for text in (first, second)):
            start -= 1
        kept = 0
        while kept < min(len(first), len(second)) - start and first[-1 - kept] == second[-1 - kept]:
            kept += 1
        between = [text[start + 1 : len(text) - kept] for text in (first, second)]
        return start if all(piece in self._continuing for pieces in between for piece in pieces) else None
