"""AWT's own published output on WikiText-2 (S-Abdelnabi/awt): pairs of blocks, and the bits written and read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lexprint.errors import FormatError, InputError
from lexprint_evaluation.datasets import FEWEST_WORDS, detokenised

_SEPARATOR = "****"
_END_OF_LINE = "<eos>"
_STOPS = frozenset(".?!")
_UNKNOWN = "<unk>"


@dataclass(frozen=True)
class Block:
    """Some eighty tokens before and after, one by one."""

    original: tuple[str, ...]
    marked: tuple[str, ...]
    written: tuple[int, ...]
    read: tuple[int, ...]

    @property
    def word_count(self) -> int:
        return sum(token != _END_OF_LINE for token in self.original)

    @property
    def substituted(self) -> int:
        return sum(one != other for one, other in zip(self.original, self.marked, strict=True))

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Sentences before and after, as one would write them; those cut at the block's ends are shorter.

        Headings, sentences of a few words and those with words that nobody knows are left out, as of WikiText itself.
        """
        begun = 0
        for index, token in enumerate(self.original):
            if token == _END_OF_LINE or token in _STOPS or index + 1 == len(self.original):
                yield from self._sentence(begun, index + (token != _END_OF_LINE))
                begun = index + 1

    def _sentence(self, start: int, stop: int) -> Iterator[tuple[str, str]]:
        original, marked = self.original[start:stop], self.marked[start:stop]
        enough = sum(token[0].isalpha() for token in original) >= FEWEST_WORDS
        if enough and original[0] != "=" and _UNKNOWN not in original:
            yield detokenised(" ".join(original)), detokenised(" ".join(marked))


def whole_sentences(blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Those that no end of a block cuts, before and after."""
    for block in blocks:
        yield from (pair for pair in block.sentences() if pair[0][0].isupper() and pair[0][-1] in _STOPS)


def published_blocks(folder: Path) -> list[Block]:
    """All blocks of the file in the data folder."""
    path = folder / "awt" / "wikitext2_val_pairs.txt"
    if not path.is_file():
        raise InputError(f"{path.name} is not in {path.parent}", needed="AWT's output, from S-Abdelnabi/awt on GitHub")
    try:
        text = path.read_text("utf-8")
        return [_block(part.strip("\n").split("\n")) for part in text.split(_SEPARATOR) if part.strip()]
    except (OSError, ValueError, IndexError) as error:
        raise FormatError(path.name, found="damaged or of another layout", needed="AWT's output pairs") from error


def has_published_blocks(folder: Path) -> bool:
    return (folder / "awt" / "wikitext2_val_pairs.txt").is_file()


def _block(lines: list[str]) -> Block:
    """A number, two scores, the original, the marked text, how many bits are right, bits written, bits read."""
    original, marked = tuple(lines[3].split()), tuple(lines[4].split())
    if len(original) != len(marked):
        raise ValueError("blocks of different length")
    return Block(original, marked, _bits(lines[6]), _bits(lines[7]))


def _bits(line: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall("[01]", line)))
