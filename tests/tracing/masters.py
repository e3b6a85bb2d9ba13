"""Masters made of a word list, with known sites, their copies, and what happens to a copy before it is found."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np

from lexprint.coding.codewords import SALT_BYTES, biases, codewords
from lexprint.registry.records import Code, Codewords, CopySite, DocumentRecord
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.pairs import Pair
from lexprint.text.span import Span

SECRET = b"the secret of the masters in tests"
FREQUENT = """
    the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
    you were her all she there would their we him been has when who will more no if out so said what up its about into
""".split()
SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve wi ko la mer son ter ling ford ness ard ish ent ion al".split()


def content_words(count: int, *, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(draw.choices(SYLLABLES, k=draw.choice((2, 2, 3, 3, 4))))] = None
    return [word for word in found if word not in FREQUENT]


CONTENT = content_words(1_500)
PARTNERS = {
    word: partner for pair in zip(CONTENT[::2], CONTENT[1::2], strict=False) for word, partner in (pair, pair[::-1])
}


def make_text(words: int, draw: random.Random) -> str:
    """Sentences of 6 to 30 words in paragraphs; half of the words are frequent ones, the others Zipf's."""
    chances = [1 / (rank + 10) for rank in range(len(CONTENT))]
    pieces: list[str] = []
    written = 0
    while written < words:
        length = min(draw.randint(6, 30), max(words - written, 2))
        chosen = [
            frequent if draw.random() < 0.5 else content
            for frequent, content in zip(
                draw.choices(FREQUENT, k=length), draw.choices(CONTENT, chances, k=length), strict=True
            )
        ]
        chosen = [
            f"{word}," if draw.random() < 0.07 and place < length - 1 else word for place, word in enumerate(chosen)
        ]
        pieces.append(" ".join(chosen).capitalize() + ".")
        pieces.append("\n\n" if draw.random() < 0.15 else " ")
        written += length
    return "".join(pieces).strip()


def make_record(
    words: int = 1_000,
    *,
    density: float = 0.12,
    code: Code = "independent",
    seed: int = 0,
    text: str | None = None,
    most: int = 2,
) -> DocumentRecord:
    """A master with about that many sites a word, which have two words or up to `most` in turn."""
    draw = random.Random(seed)
    text = make_text(words, draw) if text is None else text
    places = [match for match in re.finditer("[a-z]+", text) if match.group() in PARTNERS]
    chosen = sorted(draw.sample(range(len(places)), min(round(density * words), len(places))))
    sites = tuple(
        CopySite(
            Span(*places[index].span()),
            word,
            Pair.of(word, PARTNERS[word]),
            0.97,
            tuple(f"{word}{ending}" for ending in ("ward", "some")[: index % (most - 1)]),
        )
        for index in chosen
        for word in (places[index].group(),)
    )
    return DocumentRecord(
        id="0123456789abcdef",
        name="memo",
        text=text,
        digest="0" * 64,
        issuing="registered",
        code=code,
        sites=sites,
        biases=tuple(biases(SECRET, sites=len(sites), code=code).tolist()),
        key_id="00000000",
        fingerprint="none",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def salts(numbers: Iterable[int]) -> list[bytes]:
    """Salts that follow from numbers, so that tests can be repeated."""
    return [number.to_bytes(SALT_BYTES) for number in numbers]


def codewords_of(record: DocumentRecord, copies: int) -> Codewords:
    return codewords(SECRET, salts(range(1, copies + 1)), np.array(record.biases), choices=record.choices)


def copy_of(record: DocumentRecord, codeword: np.ndarray) -> str:
    """The text of a copy."""
    return apply_edits(
        record.text,
        (Edit(site.span, site.words[symbol]) for site, symbol in zip(record.sites, codeword.tolist(), strict=True)),
    )


def mixed(coalition: Codewords, strategy: str, draw: random.Random) -> np.ndarray:
    """What colluders write, who see where their copies differ."""
    row = []
    for held in coalition.T.tolist():
        ones, size = sum(held), len(held)
        if ones in (0, size):
            row.append(held[0])
        elif strategy == "random" or 2 * ones == size:
            row.append(draw.choice(held))
        else:
            row.append(int((2 * ones > size) == (strategy == "majority")))
    return np.array(row, dtype=np.uint8)


Disturbance = Callable[[str, random.Random], str]


def untouched(text: str, draw: random.Random) -> str:
    return text


def edited(text: str, draw: random.Random, *, share: float = 0.1) -> str:
    """A tenth of the words deleted, replaced, or given a new neighbour, in equal parts."""
    found = []
    for word in text.split(" "):
        if draw.random() >= share:
            found.append(word)
            continue
        stranger = draw.choice(CONTENT if draw.random() < 0.5 else FREQUENT)
        found += draw.choice(([], [stranger], [word, stranger]))
    return " ".join(found)


def halved(text: str, draw: random.Random) -> str:
    words = text.split(" ")
    start = draw.randint(0, len(words) // 2)
    return " ".join(words[start : start + len(words) // 2])


def excerpt(text: str, draw: random.Random, *, words: int = 300) -> str:
    every = text.split(" ")
    start = draw.randint(0, max(len(every) - words, 0))
    return " ".join(every[start : start + words])


def shuffled(text: str, draw: random.Random) -> str:
    sentences = re.split(r"(?<=\.)\s+", text)
    draw.shuffle(sentences)
    return " ".join(sentences)


def bare(text: str, draw: random.Random) -> str:
    """No case and no punctuation, on one line."""
    return " ".join(re.findall(r"\w+", text.lower()))


def scanned(text: str, draw: random.Random, *, share: float = 0.02) -> str:
    """Characters confused, lost or doubled as scanners do."""
    confusions = {"l": "1", "o": "0", "m": "rn", "e": "c", "c": "e", "i": "l", "s": "5", "n": "u", "a": "o", "t": "f"}
    return "".join(
        character
        if draw.random() >= share or not character.isalpha()
        else draw.choice((confusions.get(character, "x"), draw.choice("abcdefghijklmnopqrstuvwxyz"), "", character * 2))
        for character in text
    )


def disguised(text: str, draw: random.Random) -> str:
    """Look-alikes for a tenth of the letters and zero-width characters within words."""
    look_alikes = str.maketrans("aceiopsxyABEHKMOPTX", "асеіорѕхуАВЕНКМОРТХ")
    pieces = []
    for character in text:
        pieces.append(character.translate(look_alikes) if draw.random() < 0.1 else character)
        if character.isalpha() and draw.random() < 0.1:
            pieces.append(draw.choice("\u200b\u200c\u200d\u2060\ufeff\u00ad"))
    return "".join(pieces)


def pasted(text: str, draw: random.Random) -> str:
    """A third of the text in the middle of another."""
    words = text.split(" ")
    start = draw.randint(0, len(words) * 2 // 3)
    return " ".join((make_text(800, draw), *words[start : start + len(words) // 3], make_text(800, draw)))


DISTURBANCES: Mapping[str, Disturbance] = MappingProxyType(
    {
        "untouched": untouched,
        "edited": edited,
        "halved": halved,
        "shuffled": shuffled,
        "bare": bare,
        "scanned": scanned,
        "disguised": disguised,
        "pasted": pasted,
        "excerpt": excerpt,
    }
)
