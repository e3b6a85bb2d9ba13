"""Bits to edits; the result is read back before anyone gets it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lexprint.errors import InputError, LexprintError
from lexprint.text.document import Document
from lexprint.text.editing import Edit, OffsetMap, apply_edits
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.watermark.extract import extract
from lexprint.watermark.inquiry import WINDOW, Inquiry, Turn
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Marked, Reading
from lexprint.watermark.walk import Choose, Neighbours, OnWords, Visit, walk


class MarkUnreadable(LexprintError):
    """A text just marked does not read back as written: a defect of lexprint or of a model, never of the text."""

    def __init__(self, *, written: int, position: int) -> None:
        super().__init__(
            f"of {written} sites written, number {position + 1} does not read back; the models may answer equal "
            "questions differently: please report this with the fingerprint"
        )
        self.written, self.position = written, position


def embed(
    document: Document,
    bits: Iterable[int],
    scheme: Scheme,
    *,
    window: int = WINDOW,
    on_words: OnWords | None = None,
) -> Marked:
    """Write bits to the sites of a text, in order, and read them back; if bits run out, later sites stay as they are."""
    marked = embed_unchecked(document, bits, scheme, window=window, on_words=on_words)
    require_readable(marked, scheme, window=window)
    return marked


def embed_unchecked(
    document: Document,
    bits: Iterable[int],
    scheme: Scheme,
    *,
    window: int = WINDOW,
    on_words: OnWords | None = None,
) -> Marked:
    """The same without reading back: schemes that lack a test do not give back what was written."""
    message = _checked(bits)
    visits = walk(document, scheme, _writer(message), window=window, on_words=on_words)
    return marked_by(visits, document, scheme, bits=tuple(message[: len(visits)]))


def embed_each(
    document: Document,
    bit_for: Callable[[Pair, Neighbours], int],
    scheme: Scheme,
    *,
    on_words: OnWords | None = None,
) -> Marked:
    """Write to every site what its pair and its neighbours ask for; not yet read back.

    No site needs to know what came before it, so sentences do not wait for each other.
    """

    def write(pair: Pair, word: str, neighbours: Neighbours) -> Inquiry[str]:
        yield from ()
        return pair.word(bit_for(pair, neighbours))

    visits = walk(document, scheme, write, on_words=on_words)
    return marked_by(visits, document, scheme, bits=tuple(visit.site.pair.bit(visit.word) for visit in visits))


def marked_by(visits: Sequence[Visit], document: Document, scheme: Scheme, *, bits: tuple[int, ...]) -> Marked:
    """The text that a walk leaves behind, not yet read back."""
    edits = tuple(Edit(visit.site.span, visit.word) for visit in visits if visit.word != visit.site.word)
    return Marked(
        text=apply_edits(document.text, edits),
        edits=edits,
        sites=tuple(visit.site for visit in visits),
        bits=bits,
        fingerprint=scheme.fingerprint,
        protected=tuple(map(OffsetMap(edits).new_span, document.protected)),
    )


def require_readable(marked: Marked, scheme: Scheme, *, window: int = WINDOW) -> Reading:
    """What a reader finds in a marked text, which must be what was written."""
    reading = extract(segment(marked.text, protected=marked.protected), scheme, window=window, ahead=False)
    if (position := _first_difference(marked, reading)) is not None:
        raise MarkUnreadable(written=len(marked.sites), position=position)
    return reading


def _checked(bits: Iterable[int]) -> Sequence[int]:
    message = tuple(map(int, bits))
    for bit in message:
        if bit not in (0, 1):
            raise InputError(f"a bit is {bit!r}", needed="0 or 1")
    return message


def _writer(bits: Sequence[int]) -> Choose:
    """Bits go to sites in the order of the text, so a sentence waits until those before it have taken theirs, while there are any."""
    remaining = list(reversed(bits))

    def write(pair: Pair, word: str, neighbours: Neighbours) -> Inquiry[str]:
        yield Turn(lambda: not remaining)
        return pair.word(remaining.pop()) if remaining else word

    return write


def _first_difference(marked: Marked, reading: Reading) -> int | None:
    """Number of the first site that is elsewhere, has another pair or says something else."""
    unwritten = tuple(site.bit for site in marked.sites[len(marked.bits) :])
    written = [
        (site.sentence, site.position, site.pair, bit)
        for site, bit in zip(marked.sites, marked.bits + unwritten, strict=True)
    ]
    read = [(site.sentence, site.position, site.pair, site.bit) for site in reading.sites]
    if written == read:
        return None
    return next(
        (index for index, (one, other) in enumerate(zip(written, read, strict=False)) if one != other),
        min(len(written), len(read)),
    )
