"""Mail: words of its plain text and its HTML change, in both alike, and every other byte stays.

What a message says twice, as plain text and as HTML, is read once, and only where both say the same may it change. Attachments
and messages within the message are read as files of their own, for leaks, and never changed; one that cannot be read is left
out, since the others may be enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from email import message_from_bytes
from email.message import MIMEPart
from email.policy import default
from itertools import takewhile
from typing import ClassVar, TypeAlias

from lexprint.errors import FormatError, LexprintError
from lexprint.formats.encodings import EncodedText
from lexprint.formats.html_text import HtmlText, codec_of
from lexprint.formats.mail_parts import Leaf, body_spans, content_of, is_body, leaves, sealed_by, transfer_of
from lexprint.formats.plain_text import PlainText
from lexprint.formats.projection import whole_projection
from lexprint.formats.protocol import Source, remarks_of
from lexprint.formats.transfer_encodings import ByteEdit, edit_body
from lexprint.text.editing import Edit
from lexprint.text.span import Span, merged

HEADERS_READ = 16_384  # bytes in which the headers of a message begin

_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60}):")
_MACHINES = {b"message-id", b"mime-version", b"received", b"return-path", b"dkim-signature"}
_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+")
_UNUSUAL = "mail that is written in an unusual way"

ReadFile: TypeAlias = Callable[[bytes, str], Source | None]  # by content and name


def is_mail(content: bytes) -> bool:
    """Whether a file begins with headers that mail programs write; people write "From:" and "To:" above memos too.

    >>> is_mail(b"From: ada@example.org\\nMessage-ID: <1@x>\\n\\nHello"), is_mail(b"From: Ada\\nTo: all\\n\\nHello")
    (True, False)
    """
    names = set()
    for line in content[:HEADERS_READ].removeprefix(b"\xef\xbb\xbf").splitlines():
        if not line.strip():
            break
        match = _HEADER.match(line)
        if match is not None:
            names.add(match.group(1).lower())
        elif not line.startswith((b" ", b"\t")):
            return False
    return b"from" in names and bool(names & _MACHINES)


@dataclass(frozen=True)
class _Body:
    """A part with words that may change, and where it is in the file."""

    source: PlainText | HtmlText = field(repr=False)
    raw: Span
    transfer: str

    def rewritten(self, content: bytes, edits: Sequence[Edit]) -> bytes:
        old = content[self.raw.start : self.raw.end]
        new = edit_body(old, self.transfer, self._byte_edits(sorted(self.source.file_edits(edits))))
        if self.transfer in ("", "7bit") and old.isascii() and not new.isascii():
            raise FormatError(
                self.source.name, found="mail in ASCII, which lacks a letter of the new text", needed="UTF-8"
            )
        return new

    def _byte_edits(self, edits: Sequence[Edit]) -> list[ByteEdit]:
        found: list[ByteEdit] = []
        text, encoding = self.source.encoded.text, self.source.encoded.encoding
        position = place = 0  # in characters and in bytes
        for edit in edits:
            start = place + len(text[position : edit.span.start].encode(encoding))
            end = start + len(edit.span.of(text).encode(encoding))
            found.append((start, end, self._encoded(edit.replacement)))
            position, place = edit.span.end, end
        return found

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode(self.source.encoded.encoding)
        except UnicodeEncodeError as error:
            raise FormatError(
                self.source.name,
                found="mail in an encoding that lacks a letter of the new text",
                needed="mail in UTF-8",
            ) from error


@dataclass(frozen=True)
class _Twin:
    """A body that is part of the text, and perhaps another that says the same."""

    start: int  # in the text
    first: _Body
    second: _Body | None
    shared: tuple[tuple[int, int, int], ...] = field(repr=False)  # where in both, and how long: equal chunks

    def own(self, edits: Sequence[Edit]) -> list[Edit]:
        whole = Span(self.start, self.start + len(self.first.source.text))
        return [Edit(edit.span.shifted(-self.start), edit.replacement) for edit in edits if whole.contains(edit.span)]

    def mirrored(self, own: Sequence[Edit]) -> list[Edit]:
        """The same edits in the other body."""
        places = iter(self.shared)
        here = next(places, None)
        found: list[Edit] = []
        for edit in sorted(own):
            while here is not None and here[0] + here[2] < edit.span.end:
                here = next(places, None)
            if here is None or edit.span.start < here[0]:
                raise ValueError(f"edit changes what only one part says, at {edit.span}")
            found.append(Edit(edit.span.shifted(here[1] - here[0]), edit.replacement))
        return found


@dataclass(frozen=True)
class MailText:
    """A message."""

    text: str = field(repr=False)
    name: str = field(repr=False)
    protected: tuple[Span, ...] = field(repr=False)
    obstacle: str | None  # why it is only read
    _content: bytes = field(repr=False)
    _twins: tuple[_Twin, ...] = field(repr=False)
    remarks: tuple[str, ...] = ()

    kind: ClassVar[str] = "mail"

    @property
    def is_writable(self) -> bool:
        return self.obstacle is None

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        """The message with each edit made, in all parts that say the same."""
        if self.obstacle is not None:
            raise FormatError(
                self.name,
                found=self.obstacle,
                needed="the message as it was before that, or its text or document, to mark that",
            )
        changed: list[tuple[Span, bytes]] = []
        made = 0
        for twin in self._twins:
            own = twin.own(edits)
            made += len(own)
            if own:
                changed.append((twin.first.raw, twin.first.rewritten(self._content, own)))
                if twin.second is not None:
                    changed.append((twin.second.raw, twin.second.rewritten(self._content, twin.mirrored(own))))
        if made < len(edits):
            raise ValueError("edit changes what is no body of the message")
        pieces, cursor = [], 0
        for raw, body in sorted(changed):
            pieces += [self._content[cursor : raw.start], body]
            cursor = raw.end
        return b"".join([*pieces, self._content[cursor:]])


def read_mail(content: bytes, *, name: str, read_file: ReadFile) -> MailText:
    """The text of all parts; `read_file` reads one that is a file of its own."""
    message = message_from_bytes(content, policy=default)
    spans = body_spans(message, content)
    sealed = sealed_by(message, content)
    obstacle = sealed
    texts: list[str] = []
    length = 0
    protected: list[Span] = []
    twins: list[_Twin] = []
    attached: list[Source] = []
    for leaf in leaves(message):
        twin = _twin(leaf, spans, length, name) if leaf.is_body else None
        source = _attached(leaf.part, name, read_file) if twin is None else twin.first.source
        text = "" if source is None else source.text
        if not text.strip():
            continue
        texts.append(text)
        if twin is None:
            attached += [] if source is None else [source]
            protected.append(Span(length, length + len(text)))
            obstacle = obstacle or (_UNUSUAL if leaf.is_body else None)
        else:
            twins.append(twin)
            protected += (span.shifted(length) for span in _protected(twin))
        length += len(text) + 2
    if not texts:
        found = sealed if sealed == "encrypted mail" else "mail without a text"
        raise FormatError(
            name, found=found or "", needed="a message with a text or a document in it, to be read by anybody"
        )
    whole = "\n\n".join(texts)
    if not twins:
        obstacle = obstacle or "mail without a text of its own"
    spans_kept = merged([*protected, *whole_projection(whole).protected])
    return MailText(whole, name, spans_kept, obstacle, content, tuple(twins), tuple(_remarks(twins, attached)))


def _remarks(twins: Sequence[_Twin], attached: Sequence[Source]) -> Iterator[str]:
    """What a reader of a report should know: mail programs show the page, and the plain text is what was read."""
    differing = sum(map(_differing_words, twins))
    if differing:
        words = "1 word" if differing == 1 else f"{differing:,} words"
        yield (
            f"The leaked message says one thing as plain text, which was read, and another as a page, which mail programs show: they "
            f"differ in {words}. Compare the report with the message as it is seen."
        )
    sources = (*(twin.first.source for twin in twins), *attached)
    yield from dict.fromkeys(remark for source in sources for remark in remarks_of(source))


def _differing_words(twin: _Twin) -> int:
    """Words of the plain text in whose place the page has others; what only one of them has, such as addresses, is usual."""
    if twin.second is None:
        return 0
    text, other = twin.first.source.text, twin.second.source.text
    here = there = differing = 0
    for start, other_start, length in (*twin.shared, (len(text), len(other), 0)):
        ours, theirs = (Counter(_WORD.findall(gap)) for gap in (text[here:start], other[there:other_start]))
        differing += min((ours - theirs).total(), (theirs - ours).total())
        here, there = start + length, other_start + length
    return differing


def _twin(leaf: Leaf, spans: dict[int, Span], start: int, name: str) -> _Twin | None:
    """What can be changed of a part and of those that say the same; None if that cannot be done in all of them."""
    first = _body(leaf.part, spans, name)
    if first is None or len(leaf.others) > 1:
        return None
    if not leaf.others:
        return _Twin(start, first, None, ())
    other = leaf.others[0]
    second = _body(other, spans, name) if is_body(other) else None
    if second is None:
        return None
    return _Twin(start, first, second, tuple(_shared(first.source.text, second.source.text)))


def _body(part: MIMEPart, spans: dict[int, Span], name: str) -> _Body | None:
    raw, payload = spans.get(id(part)), part.get_payload(decode=True)
    codec = codec_of(str(part.get_content_charset() or "utf-8"))
    if raw is None or codec is None or not isinstance(payload, bytes):
        return None
    try:
        text = payload.decode(codec)
        if text.encode(codec) != payload:
            return None
    except (UnicodeError, LookupError):
        return None
    encoded = EncodedText(text, codec)
    is_page = part.get_content_type() == "text/html"
    return _Body(HtmlText(encoded, name) if is_page else PlainText(encoded, name), raw, transfer_of(part))


def _shared(text: str, other: str) -> Iterator[tuple[int, int, int]]:
    """Chunks between white space that both texts have, in order: the same beginning, the same end, and what is equal between."""
    ours, theirs = list(_CHUNK.finditer(text)), list(_CHUNK.finditer(other))
    head = _common(ours, theirs)
    tail = min(_common(ours[::-1], theirs[::-1]), min(len(ours), len(theirs)) - head)
    middle = SequenceMatcher(
        None,
        [one.group() for one in ours[head : len(ours) - tail]],
        [one.group() for one in theirs[head : len(theirs) - tail]],
    )
    pairs = [(index, index) for index in range(head)]
    for block in middle.get_matching_blocks():
        pairs += ((head + block.a + step, head + block.b + step) for step in range(block.size))
    pairs += ((len(ours) - back, len(theirs) - back) for back in range(tail, 0, -1))
    return ((ours[one].start(), theirs[two].start(), len(ours[one].group())) for one, two in pairs)


def _common(ours: Sequence[re.Match[str]], theirs: Sequence[re.Match[str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0].group() == pair[1].group(), zip(ours, theirs, strict=False)))


def _protected(twin: _Twin) -> Iterator[Span]:
    """Of a body: what it protects itself, what its other form protects, and what only one of them says."""
    yield from twin.first.source.protected
    if twin.second is None:
        return
    text, theirs = twin.first.source.text, iter(twin.second.source.protected)
    barrier = next(theirs, None)
    cursor = 0
    for start, other, length in twin.shared:
        if text[cursor:start].strip():
            yield Span(cursor, start)
        cursor = start + length
        while barrier is not None and barrier.end <= other:
            barrier = next(theirs, None)
        if barrier is not None and barrier.start < other + length:
            yield Span(start, cursor)
    if text[cursor:].strip():
        yield Span(cursor, len(text))


def _attached(part: MIMEPart, name: str, read_file: ReadFile) -> Source | None:
    """What a part says that is a file of its own; None if it cannot be read."""
    content = content_of(part)
    if part.get_content_type() == "text/plain" and part.get_filename() is None:
        return PlainText(EncodedText(_decoded(content, part.get_content_charset()), "utf-8"), name)
    is_page = part.get_content_type() == "text/html"
    try:
        return read_file(content, part.get_filename() or ("part.html" if is_page else "part"))
    except LexprintError:
        return None


def _decoded(content: bytes, charset: str | None) -> str:
    try:
        return content.decode(charset or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")
