"""Finds and reads the public data that lexprint is measured on; none of it is shipped."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lexprint.errors import FormatError, InputError
from lexprint.models.protocols import Gap
from lexprint.text.document import Sentence
from lexprint.text.segmentation import segment

FEWEST_WORDS = 5  # of a sentence that counts
LONG_SENTENCE = 2_000  # characters; no text needs so many per sentence
CHAPTER = 1_000  # characters; no chapter is shorter


@dataclass(frozen=True)
class Target:
    """A word in context, and how people judged what might replace it."""

    context: str
    word: str
    offset: int
    part_of_speech: str  # NOUN, VERB, ADJ, ADV
    votes: dict[str, tuple[bool, ...]]  # substitute -> yes or no of each judge who was sure
    sources: dict[str, tuple[str, ...]]  # substitute -> who proposed it


def data_folder(given: Path | None) -> Path:
    """The folder given, or the one that LEXPRINT_DATA names."""
    named = os.environ.get("LEXPRINT_DATA")
    folder = given or (Path(named) if named else None)
    if folder is None:
        raise InputError(
            "no data folder was given", needed="--data FOLDER or LEXPRINT_DATA, laid out as in docs/evaluation.md"
        )
    if not folder.is_dir():
        raise InputError(
            f"the data folder {folder} does not exist", needed="a folder laid out as in docs/evaluation.md"
        )
    return folder


def swords(folder: Path, split: str) -> list[Target]:
    """The Stanford Word Substitution Benchmark v1.1 (p-lambda/swords, CC-BY-3.0-US)."""
    path = folder / "swords" / f"swords-v1.1_{split}.json.gz"
    if not path.is_file():
        raise InputError(
            f"{path.name} is not in {path.parent}", needed="SWORDS v1.1, from the repository p-lambda/swords on GitHub"
        )
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            data = json.load(file)
        votes: dict[str, dict[str, tuple[bool, ...]]] = {target: {} for target in data["targets"]}
        sources: dict[str, dict[str, tuple[str, ...]]] = {target: {} for target in data["targets"]}
        for number, entry in data["substitutes"].items():
            labels = [label for label in data["substitute_labels"][number] if label != "UNSURE"]
            word = entry["substitute"].strip()
            votes[entry["target_id"]][word] = tuple(label in ("TRUE", "TRUE_IMPLICIT") for label in labels)
            sources[entry["target_id"]][word] = tuple(entry["extra"]["sources"])
        return [
            Target(
                data["contexts"][target["context_id"]]["context"],
                target["target"],
                target["offset"],
                target["pos"],
                votes[number],
                sources[number],
            )
            for number, target in data["targets"].items()
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError) as error:
        raise FormatError(path.name, found="damaged or of another layout", needed="SWORDS v1.1 as published") from error


GOOD, SO_SO, BAD = 2, 1, 0


@dataclass(frozen=True)
class Judged:
    """A word in its sentence, and a reader's verdict on each candidate in its place."""

    gap: Gap
    verdicts: dict[str, int]


def judgements(folder: Path, split: str) -> list[Judged]:
    """Words that readers judged: `judgements/SPLIT.jsonl.gz` in the data folder, or the file right in it."""
    name = f"{split}.jsonl"
    places = [place / file for place in (folder / "judgements", folder) for file in (f"{name}.gz", name)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(
            f"there are no judgements {name}.gz in {folder}", needed="judgements laid out as in docs/evaluation.md"
        )
    try:
        rows = [json.loads(line) for line in _lines(path) if line.strip()]
        found = [Judged(Gap(row["left"], row["word"], row["right"]), dict(row["judged"])) for row in rows]
        if not all(verdict in (GOOD, SO_SO, BAD) for one in found for verdict in one.verdicts.values()):
            raise ValueError("a verdict is none of 0, 1 and 2")
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise FormatError(path.name, found="damaged or of another layout", needed="a line for each word") from error
    return found


@dataclass(frozen=True)
class Corpus:
    """Running text to mark; `name` is what `--sets` calls it."""

    name: str
    title: str  # as the paper's tables have it
    text: str


def corpora(folder: Path, names: Sequence[str] = ()) -> list[Corpus]:
    """All sets of the folder, or those named; `novels` stands for every novel."""
    found = [
        *_novels(folder),
        *_wikitext2(folder),
        *_reviews(folder, "imdb", "IMDB"),
        *_reviews(folder, "agnews", "AG News"),
        *_others(folder),
    ]
    known = {corpus.name for corpus in found} | {"novels"}
    if not found or set(names) - known:
        missing = ", ".join(sorted(set(names) - known)) or "any set"
        raise InputError(
            f"the folder {folder} does not have {missing}",
            needed=f"one of {', '.join(sorted(known))}" if found else "data laid out as in docs/evaluation.md",
        )
    novels = {path.stem for path in _novel_paths(folder)} if "novels" in names else set()
    return [corpus for corpus in found if not names or corpus.name in {*names, *novels}]


def first_sentences(text: str, count: int) -> str:
    """The text up to the end of so many sentences of at least five words; what stands between them stays."""
    document = segment(text[: count * LONG_SENTENCE])
    long = [sentence for sentence in document.sentences if is_long(sentence)][:count]
    if not long:
        raise InputError(f"the text has no sentence of {FEWEST_WORDS} words", needed="running text")
    return text[long[0].span.start : long[-1].span.end]


def is_long(sentence: Sentence) -> bool:
    """Whether a sentence counts: headings, cries and numbers do not."""
    return sum(word.text[0].isalpha() for word in sentence.words) >= FEWEST_WORDS


def _novel_paths(folder: Path) -> list[Path]:
    return sorted((folder / "novels").glob("*.txt"))


def _novels(folder: Path) -> Iterator[Corpus]:
    for path in _novel_paths(folder):
        yield Corpus(path.stem, path.stem.replace("_", " ").title().replace(" And ", " and "), _body(_read(path)))


_CHAPTER = re.compile(r"^[ \t]*(?:chapter|letter|book)[ \t]+[\divxlc]+\b.*$", re.IGNORECASE | re.MULTILINE)


def _body(novel: str) -> str:
    """What follows the heading of the first chapter, if there is one; in a table of contents headings stand close."""
    headings = list(_CHAPTER.finditer(novel))
    for heading, following in pairwise(headings):
        if following.start() - heading.end() > CHAPTER:
            return novel[heading.end() :]
    return novel


def _wikitext2(folder: Path) -> Iterator[Corpus]:
    path = folder / "wikitext2" / "valid.txt"
    if path.is_file():
        lines = (line.strip() for line in _read(path).split("\n"))
        paragraphs = (_without_unknown(detokenised(line)) for line in lines if line and not line.startswith("= "))
        yield Corpus("wikitext2", "WikiText-2", "\n\n".join(filter(None, paragraphs)))


def _without_unknown(paragraph: str) -> str:
    """Sentences without the token that stands for words nobody knows: no model can judge them."""
    document = segment(paragraph)
    spans = (sentence.span.of(paragraph) for sentence in document.sentences)
    return " ".join(sentence for sentence in spans if "<unk>" not in sentence)


# In this order; WikiText puts a space on both sides of every mark, and @ around those inside words and numbers.
_DETOKENISED = (
    (re.compile(r" @([-,.])@ "), r"\1"),
    (re.compile(r" (n't|'(?:s|S|m|d|re|ve|ll))\b"), r"\1"),
    (re.compile(r" ([,.;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$£#]) "), r"\1"),
    (re.compile(r'" ([^"]*?) ?"'), r'"\1"'),
    (re.compile(r"(?<=s) '(?= )"), "'"),
)


def detokenised(line: str) -> str:
    """A line of WikiText as one would write it.

    >>> detokenised('It is 3 @.@ 5 m long , well @-@ known ( " very " ) and the king \\'s .')
    'It is 3.5 m long, well-known ("very") and the king\\'s.'
    """
    for pattern, replacement in _DETOKENISED:
        line = pattern.sub(replacement, line)
    return line


def _reviews(folder: Path, name: str, title: str) -> Iterator[Corpus]:
    """JSON lines with a `text` each."""
    for path in sorted((folder / name).glob("*.jsonl*"))[:1]:
        try:
            texts = [str(json.loads(line)["text"]) for line in _lines(path) if line.strip()]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(
                path.name, found="damaged or of another layout", needed="JSON lines with a text"
            ) from error
        yield Corpus(name, title, "\n\n".join(_BREAK.sub("\n", text).strip() for text in texts))


def _others(folder: Path) -> Iterator[Corpus]:
    """Any other folder of texts is a set of its name: plain text, one after another, or JSON lines."""
    for place in sorted(path for path in folder.iterdir() if path.is_dir() and path.name not in _KNOWN):
        if texts := sorted(place.glob("*.txt")):
            yield Corpus(place.name, place.name, "\n\n".join(_read(path).strip() for path in texts))
        elif _has_texts(place):
            yield from _reviews(folder, place.name, place.name)


def _has_texts(place: Path) -> bool:
    """Whether the first line of the first file has a text."""
    for path in sorted(place.glob("*.jsonl*"))[:1]:
        try:
            row = json.loads(next(_lines(path), "null"))
        except (OSError, ValueError):
            return False
        return isinstance(row, dict) and isinstance(row.get("text"), str)
    return False


# Folders that are read in a way of their own, or hold no running text.
_KNOWN = frozenset(
    {"agnews", "awt", "imdb", "judgements", "nli", "novels", "pan", "stsb", "substitutes", "swords", "wikitext2"}
)

_BREAK = re.compile(r"<br\s*/?>")


def _lines(path: Path) -> Iterator[str]:
    """Of a file that may be packed."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from file


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(path.name, found="not readable as UTF-8", needed="a text file") from error
