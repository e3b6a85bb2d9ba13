"""Bits into a text, out of it, and the way back to the original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from lexprint import __version__
from lexprint.engine import Engine
from lexprint.errors import CapacityError, InputError
from lexprint.results import OnProgress as OnProgress
from lexprint.text.document import PARAGRAPH_BREAK, Document
from lexprint.text.editing import inverse_edits
from lexprint.text.protection import protected_spans
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.text.view import normalise
from lexprint.watermark.embed import embed as write_bits
from lexprint.watermark.extract import extract as read_sites
from lexprint.watermark.records import Record, digest_of, record_of
from lexprint.watermark.recover import recover as guess_original, restore_exactly
from lexprint.watermark.scheme import Scheme, paper_scheme
from lexprint.watermark.sites import Site
from lexprint.watermark.walk import OnWords
from lexprint.workflows.fingerprints import require_fingerprint
from lexprint.workflows.messages import END_OF_MESSAGE, message_bits
from lexprint.workflows.results import Embedded, ExtractedBits, Paragraph, RecoveredText, TextCapacity


def embed(
    engine: Engine,
    text: str,
    bits: Iterable[int],
    *,
    protected: Iterable[Span] = (),
    on_progress: OnProgress | None = None,
) -> Embedded:
    """Write bits to the words of a text that can carry them, in order, and read them back.

    `protected` are parts that must not change; they are no secret, but a reader has to know them.

    >>> from lexprint import Engine
    >>> engine = Engine()
    >>> memo = "He was very tired after the long journey, but the house was quiet and the night was calm."
    >>> bits = extract(engine, memo).bits
    >>> embed(engine, memo, bits).text == memo  # these are what it says already
    True
    """
    wanted = tuple(bits)
    return _embed(engine, segmented(text, protected), wanted, needed=len(wanted), on_progress=on_progress)


def embed_message(
    engine: Engine,
    text: str,
    message: str,
    *,
    protected: Iterable[Span] = (),
    on_progress: OnProgress | None = None,
) -> Embedded:
    """Write a message, as the bits of its UTF-8 form, the highest bit of each byte first.

    Where there is room a zero byte follows, so that a reader knows where it ends.

    >>> from lexprint import Engine
    >>> embed_message(Engine(), "Too short.", "Hi")
    Traceback (most recent call last):
    lexprint.errors.CapacityError: the text carries 0 bits, the message has 16; use a longer text or fewer bits
    """
    if not message or END_OF_MESSAGE in message:
        found = "the message holds a NUL character" if message else "the message is empty"
        raise InputError(found, needed="a message of at least one character, none of them NUL")
    wanted = message_bits(message)
    bits = wanted + message_bits(END_OF_MESSAGE)
    return _embed(engine, segmented(text, protected), bits, needed=len(wanted), on_progress=on_progress)


def _embed(
    engine: Engine, document: Document, bits: Sequence[int], *, needed: int, on_progress: OnProgress | None
) -> Embedded:
    on_words = counting(document.word_count, on_progress)
    marked = write_bits(document, bits, scheme_of(engine), on_words=on_words)
    if len(marked.bits) < needed:
        raise CapacityError(needed=needed, found=len(marked.bits))
    record = record_of(
        marked, version=__version__, settings=engine.settings, canary=engine.canary, words=document.word_count
    )
    return Embedded(marked.text, record)


def extract(
    engine: Engine,
    text: str,
    *,
    marked_with: Record | str | None = None,
    protected: Iterable[Span] = (),
    on_progress: OnProgress | None = None,
) -> ExtractedBits:
    """Read every bit of a text, each with its reliability.

    `marked_with` is the record or the fingerprint of the copy, if it is known; the engine must have the same. `protected`
    are the parts that were left out when it was marked.

    >>> from lexprint import Engine
    >>> extract(Engine(), "Too short.").bits
    ()
    """
    document = segmented(text, protected)
    on_words = counting(document.word_count, on_progress)
    require_fingerprint(engine, marked_with)
    found = read_sites(document, scheme_of(engine), on_words=on_words)
    return ExtractedBits(found.sites, document.word_count, found.fingerprint)


def recover(
    engine: Engine,
    text: str,
    *,
    marked_with: str | None = None,
    protected: Iterable[Span] = (),
    on_progress: OnProgress | None = None,
) -> RecoveredText:
    """The most probable original of a marked text.

    >>> from lexprint import Engine
    >>> recover(Engine(), "Too short.").text
    'Too short.'
    """
    document = segmented(text, protected)
    on_words = counting(document.word_count, on_progress)
    require_fingerprint(engine, marked_with)
    found = read_sites(document, scheme_of(engine), on_words=on_words)
    guess = guess_original(document, found.sites, engine.masked_lm)
    return RecoveredText(guess.text, guess.edits, len(found.sites), is_exact=False, fingerprint=found.fingerprint)


def restore(text: str, record: Record) -> RecoveredText:
    """The exact original of a marked text, by its record; no model is asked.

    >>> from lexprint import Engine
    >>> marked = embed(Engine(), "Too short.", [])
    >>> restore(marked.text, marked.record).text
    'Too short.'
    """
    if digest_of(text) != record.digest:
        raise InputError(
            "the record belongs to another text, or the text was changed since", needed="the marked text, unchanged"
        )
    original = restore_exactly(text, record.sites)
    edits = inverse_edits(original, record.edits)
    return RecoveredText(original, edits, len(record.sites), is_exact=True, fingerprint=record.fingerprint)


def capacity(
    engine: Engine, text: str, *, protected: Iterable[Span] = (), on_progress: OnProgress | None = None
) -> TextCapacity:
    """How many bits a text can carry, paragraph by paragraph; nothing is changed.

    >>> from lexprint import Engine
    >>> capacity(Engine(), "Too short.").bits
    0
    """
    document = segmented(text, protected)
    on_words = counting(document.word_count, on_progress)
    found = read_sites(document, scheme_of(engine), on_words=on_words)
    return TextCapacity(in_paragraphs(document, found.sites), engine.fingerprint)


def in_paragraphs(document: Document, sites: Sequence[Site]) -> tuple[Paragraph, ...]:
    """The parts of a text between blank lines, each with its sites, which are given in order."""
    by_sentence = {number: tuple(some) for number, some in groupby(sites, lambda site: site.sentence)}
    return tuple(
        Paragraph(
            Span(document.sentences[numbers.start].span.start, document.sentences[numbers.stop - 1].span.end),
            sum(len(document.sentences[number]) for number in numbers),
            tuple(site for number in numbers for site in by_sentence.get(number, ())),
        )
        for numbers in _paragraphs(document)
    )


def _paragraphs(document: Document) -> Iterator[range]:
    """Numbers of the sentences between blank lines."""
    first = 0
    for number, (before, after) in enumerate(pairwise(document.sentences), start=1):
        between = document.text[before.span.end : after.span.start]
        if PARAGRAPH_BREAK in normalise(f"a{between}b"):
            yield range(first, number)
            first = number
    yield range(first, len(document.sentences))


def scheme_of(engine: Engine) -> Scheme:
    """The engine's models and settings, as the watermark wants them."""
    return paper_scheme(engine.substituter, fingerprint=engine.fingerprint, settings=engine.settings.watermark)


def segmented(text: str, protected: Iterable[Span] = ()) -> Document:
    """A text that has words."""
    document = segment(text, protected=protected_spans(text, protections=(), spans=filter(len, protected)))
    if not document.sentences:
        raise InputError("the text is empty", needed="a text with words")
    return document


def counting(total: int, on_progress: OnProgress | None) -> OnWords | None:
    """What a walk reports, word by word, as a sum out of a total; how much there is is told before models are loaded."""
    if on_progress is None:
        return None
    done = 0

    def count(words: int) -> None:
        nonlocal done
        done += words
        on_progress(done, total)

    count(0)
    return count
