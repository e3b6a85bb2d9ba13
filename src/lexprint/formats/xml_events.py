"""Everything in an XML file in order, each thing with its place; for formats that change text in place.

expat tells the offset of everything it reports, which tree builders do not. Document type definitions are refused, and with
them entities of all kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from lexprint.errors import FormatError

DEEPEST = 500  # elements within each other; word processors stay below 100
_CHUNK = 1 << 16  # bytes given to the parser at once


@dataclass(frozen=True, slots=True)
class Event:
    """The beginning of something in the XML."""

    place: int  # in the XML
    kind: str  # start, end, text, section (CDATA begins or ends), other
    name: str = ""  # namespace and name, a space between them
    attributes: dict[str, str] = field(default_factory=dict)
    data: str = ""


def xml_events(raw: str, *, name: str, kind: str) -> Iterator[Event]:
    """Everything, and an event for the end; `kind` is what the file should be, with its article, for messages."""
    try:
        yield from _events(raw, name, kind)
    except expat.ExpatError as error:
        raise damaged_xml(name, kind) from error


def damaged_xml(name: str, kind: str) -> FormatError:
    return FormatError(name, found=f"{kind} with damaged XML", needed="the document as the word processor saved it")


def refuse_too_deep(depth: int, *, name: str) -> None:
    if depth > DEEPEST:
        raise FormatError(
            name, found=f"nested more than {DEEPEST} deep", needed="a document that a word processor can open"
        )


def _events(raw: str, name: str, kind: str) -> Iterator[Event]:
    content = raw.encode()
    found: list[Event] = []
    passed = [0, 0]  # bytes and characters: the parser counts the former
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    parser.buffer_text = False

    def place() -> int:
        byte = parser.CurrentByteIndex
        passed[1] += len(content[passed[0] : byte].decode())
        passed[0] = byte
        return passed[1]

    def refuse(*declaration: object) -> None:
        raise FormatError(
            name, found=f"{kind} with a document type definition", needed="one without, as word processors write it"
        )

    parser.StartElementHandler = lambda tag, attributes: found.append(Event(place(), "start", tag, attributes))
    parser.EndElementHandler = lambda tag: found.append(Event(place(), "end", tag))
    parser.CharacterDataHandler = lambda data: found.append(Event(place(), "text", data=data))
    parser.StartCdataSectionHandler = lambda: found.append(Event(place(), "section"))
    parser.EndCdataSectionHandler = lambda: found.append(Event(place(), "section"))
    parser.DefaultHandler = lambda data: found.append(Event(place(), "other"))
    parser.StartDoctypeDeclHandler = refuse
    for start in range(0, len(content), _CHUNK):
        parser.Parse(content[start : start + _CHUNK], False)  # noqa: FBT003
        yield from found
        found.clear()
    parser.Parse(b"", True)  # noqa: FBT003
    yield from found
    yield Event(len(raw), "other")
