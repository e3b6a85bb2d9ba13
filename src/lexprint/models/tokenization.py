"""Text to token ids, for models that read one or two segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from lexprint.errors import ModelError
from lexprint.models.onnx_backend import Tokens


@dataclass(frozen=True, kw_only=True)
class SpecialTokens:
    """What a model calls the tokens that are no words."""

    first: str = "[CLS]"
    last: str = "[SEP]"
    mask: str = "[MASK]"


class PairTokenizer:
    """A BERT-like tokenizer: [CLS] first [SEP] second [SEP]."""

    def __init__(self, definition: bytes, *, special: SpecialTokens = SpecialTokens()) -> None:  # noqa: B008 # frozen
        try:
            self._tokenizer = Tokenizer.from_buffer(definition)
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError("the tokenizer cannot be read; reinstall lexprint") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
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
