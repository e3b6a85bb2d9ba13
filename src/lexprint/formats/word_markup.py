"""The text of one part of a Word document, and where each piece of it stands in the XML.

The XML is never written anew: text is replaced in place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lexprint.formats.paragraphs import Fragment, Paragraph
from lexprint.formats.xml_events import Event, refuse_too_deep, xml_events
from lexprint.text.span import Span

_SPACE = " \t\r\n"

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",  # strict
)
_CHOICES = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_SPACE_ATTRIBUTE = "http://www.w3.org/XML/1998/namespace space"

_GONE = frozenset("del moveFrom rt".split())  # deleted or moved away, and the small print above ruby
_NEUTRAL = frozenset("r rPr t proofErr bookmarkStart bookmarkEnd lastRenderedPageBreak".split())
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "‑"}
# Controls whose text comes from elsewhere or must be one of a list.
_BOUND = frozenset("checkbox comboBox dataBinding date docPartList dropDownList showingPlcHdr".split())
_INVISIBLE_LOOK = frozenset("lang noProof".split())  # two runs that differ in these look the same
_OFF = ("0", "false", "off")
_CODE_STYLE = re.compile("code|preformatted|verbatim", re.IGNORECASE)
_TAG_NAME = re.compile(r"<([^\s/>]+)")


@dataclass(frozen=True, slots=True)
class Element:
    """A text element: where its text is, where an attribute can be put, and whether its outer spaces count."""

    content: Span
    attribute_place: int
    keeps_spaces: bool


@dataclass(frozen=True)
class Markup:
    """What was found in one part."""

    paragraphs: tuple[Paragraph, ...]
    elements: tuple[Element, ...]
    tangled: frozenset[int]  # groups of alternatives with alternatives inside
    is_ambiguous: bool = False  # whether alternatives say different things, so that programs show one or another


def read_markup(raw: str, *, name: str) -> Markup:
    """Read the XML of a part."""
    reader = _Reader(raw, name)
    for event, following in pairwise(xml_events(raw, name=name, kind="a Word document")):
        reader.take(event, following.place)
    return Markup(
        tuple(reader.paragraphs), tuple(reader.elements), frozenset(reader.tangled), _is_ambiguous(reader.said)
    )


def _is_ambiguous(said: Mapping[tuple[int, int], Sequence[str]]) -> bool:
    """Whether alternatives differ in a word; what has only one of them is shown by some programs, and not at all by others."""
    groups: dict[int, list[str]] = defaultdict(list)
    for (group, _), texts in sorted(said.items()):
        groups[group].append(" ".join("".join(texts).split()))
    return any(
        len(texts) < 2 or len(set(texts)) > 1
        for texts in groups.values()
        if any(letter.isalpha() for letter in "".join(texts))
    )


@dataclass
class _Open:
    """An element that is not yet closed, and what it hands down to those inside it."""

    name: str = ""
    keeps_spaces: bool = False
    is_hidden: bool = False  # a reader does not see its text
    is_bound: bool = False  # a reader sees its text, but it must not change
    paragraph: Paragraph | None = None
    look: list[object] | None = None  # of the run it is in; grows while the run's properties are read
    alternative: tuple[int, int] | None = None

    def inside(self, name: str) -> _Open:
        """An element within this one."""
        return _Open(
            name, self.keeps_spaces, self.is_hidden, self.is_bound, self.paragraph, self.look, self.alternative
        )


class _Reader:
    """Follows the events and collects paragraphs."""

    def __init__(self, raw: str, name: str) -> None:
        self._raw = raw
        self._name = name
        self.paragraphs: list[Paragraph] = []
        self.elements: list[Element] = []
        self.tangled: set[int] = set()
        self.said: dict[tuple[int, int], list[str]] = defaultdict(list)  # by group and branch of alternatives
        self._open = [_Open()]
        self._groups = 0
        self._branches: dict[int, int] = {}
        self._field_depth = 0
        self._is_in_section = False
        self._is_mixed = False  # whether that element holds more than text
        self._text_element: Element | None = None
        self._text: list[Fragment] = []  # of that element
        self._looks: dict[int, object] = {}  # by paragraph: how its last text looks
        self._seams: set[int] = set()  # paragraphs where something stands after their last text

    def take(self, event: Event, end: int) -> None:
        if event.kind == "start":
            self._start(event, end)
        elif event.kind == "end":
            self._end(event)
        elif event.kind == "text":
            self._characters(event.data, Span(event.place, end))
        elif event.kind == "section":
            self._is_in_section = not self._is_in_section
        else:
            self._is_mixed = True

    def _start(self, event: Event, end: int) -> None:
        refuse_too_deep(len(self._open), name=self._name)
        namespace, _, name = event.name.rpartition(" ")
        opened = self._open[-1].inside(name if namespace in _WORD else event.name)
        if _SPACE_ATTRIBUTE in event.attributes:
            opened.keeps_spaces = event.attributes[_SPACE_ATTRIBUTE] == "preserve"
        self._open.append(opened)
        self._is_mixed = True
        if opened.name not in _NEUTRAL and not self._is_within("rPr"):
            self._add_seam()
        if namespace == _CHOICES:
            self._start_alternative(name, opened)
        elif name in _BOUND and self._is_within("sdtPr"):
            self._mark_control()
        elif namespace in _WORD:
            values = {key.rpartition(" ")[2]: value for key, value in event.attributes.items()}
            self._start_word(opened, values, Span(event.place, end))

    def _start_alternative(self, name: str, opened: _Open) -> None:
        if name == "AlternateContent":
            self._groups += 1
            if opened.alternative is not None:
                self.tangled.add(opened.alternative[0])
            else:
                opened.alternative = self._groups, 0
        elif opened.alternative is not None and opened.alternative[0] not in self.tangled:
            group, _ = opened.alternative
            self._branches[group] = self._branches.get(group, 0) + 1
            opened.alternative = group, self._branches[group]

    def _start_word(self, opened: _Open, values: dict[str, str], tag: Span) -> None:
        name, value = opened.name, values.get("val", "")
        if name == "p":
            opened.paragraph, opened.look = Paragraph(opened.alternative), None
            self.paragraphs.append(opened.paragraph)
        elif name == "r":
            opened.look = []
        elif name in _GONE:
            opened.is_hidden = True
        elif name == "fldSimple":
            opened.is_bound = True
        elif name == "fldChar":
            step = {"begin": 1, "end": -1}.get(values.get("fldCharType", ""), 0)
            self._field_depth = max(0, self._field_depth + step)
        elif name == "pStyle" and opened.paragraph is not None:
            opened.paragraph.is_protected = _CODE_STYLE.search(value) is not None
        elif opened.paragraph is not None and opened.look is not None:
            self._start_in_run(opened, values, tag)

    def _start_in_run(self, opened: _Open, values: dict[str, str], tag: Span) -> None:
        assert opened.paragraph is not None
        assert opened.look is not None
        if self._is_within("rPr"):
            self._look(opened, values)
        elif opened.name == "t":
            written = _TAG_NAME.match(self._raw, tag.start)
            place = written.end() if written else tag.start
            self._text_element, self._text = Element(Span(tag.end, tag.end), place, opened.keeps_spaces), []
            self._is_mixed = False
        elif opened.name in _CHARACTERS and not opened.is_hidden and self._is_first_choice(opened):
            opened.paragraph.fragments.append(Fragment(_CHARACTERS[opened.name], None, is_protected=False, joins=False))

    def _look(self, opened: _Open, values: dict[str, str]) -> None:
        """A property of a run. The elements that will hold its text copy what is noted here."""
        assert opened.look is not None
        if opened.name not in _INVISIBLE_LOOK:
            opened.look.append((opened.name, sorted(values.items())))
        run = next((element for element in reversed(self._open) if element.name == "r"), opened)
        if opened.name in ("vanish", "webHidden", "del") and values.get("val") not in _OFF:
            run.is_hidden = True
        if opened.name == "rStyle" and _CODE_STYLE.search(values.get("val", "")):
            run.is_bound = True

    def _mark_control(self) -> None:
        """The properties of a control come before its content, which copies what is noted here."""
        control = next((element for element in reversed(self._open) if element.name == "sdt"), None)
        if control is not None:
            control.is_bound = True

    def _is_within(self, name: str) -> bool:
        return any(element.name == name for element in self._open[-3:-1])

    def _is_first_choice(self, opened: _Open) -> bool:
        """Whether a text is the paragraph's own: of alternatives inside a paragraph only the first counts."""
        assert opened.paragraph is not None
        return opened.alternative == opened.paragraph.alternative or (opened.alternative or (0, 0))[1] == 1

    def _characters(self, data: str, raw: Span) -> None:
        opened = self._open[-1]
        if self._text_element is None or opened.name != "t":
            return
        if opened.alternative is not None and not opened.is_hidden:
            self.said[opened.alternative].append(data)
        is_exact = not self._is_in_section and (len(data) == 1 or raw.of(self._raw) == data)
        is_protected = opened.is_bound or self._field_depth > 0 or not is_exact
        self._text.append(Fragment(data, raw, is_protected, joins=True))

    def _end(self, event: Event) -> None:
        opened = self._open.pop()
        if opened.name == "t" and self._text_element is not None:
            element = replace(self._text_element, content=Span(self._text_element.content.start, event.place))
            self._text_element = None
            self._end_text(opened, element)
        elif opened.name not in _NEUTRAL and self._open[-1].name != "rPr":
            self._add_seam()

    def _end_text(self, opened: _Open, element: Element) -> None:
        paragraph = opened.paragraph
        assert paragraph is not None
        if opened.is_hidden or not self._is_first_choice(opened):
            self._add_seam()
            return
        is_inner_choice = opened.alternative != paragraph.alternative
        fragments, is_cut = self._text, False
        if not element.keeps_spaces:
            fragments, is_cut = _trimmed(self._text)
        if not fragments:
            return
        joins = id(paragraph) not in self._seams and self._looks.get(id(paragraph)) == opened.look and not is_cut
        fragments[0] = replace(fragments[0], joins=joins)
        if is_inner_choice or self._is_mixed:
            fragments = [replace(fragment, is_protected=True) for fragment in fragments]
        paragraph.fragments += fragments
        self.elements.append(element)
        self._looks[id(paragraph)] = opened.look
        self._seams.discard(id(paragraph))
        if is_cut:
            self._add_seam()

    def _add_seam(self) -> None:
        paragraph = self._open[-1].paragraph
        if paragraph is not None:
            self._seams.add(id(paragraph))


def _trimmed(fragments: list[Fragment]) -> tuple[list[Fragment], bool]:
    """Without the outer spaces, which Word ignores unless told otherwise; and whether there were any."""
    if not fragments or not (fragments[0].text[0] in _SPACE or fragments[-1].text[-1] in _SPACE):
        return fragments, False
    kept = list(fragments)
    while kept and not kept[0].text.strip(_SPACE):
        kept.pop(0)
    while kept and not kept[-1].text.strip(_SPACE):
        kept.pop()
    if kept:
        kept[0] = _cut(kept[0], len(kept[0].text) - len(kept[0].text.lstrip(_SPACE)), len(kept[0].text))
        kept[-1] = _cut(kept[-1], 0, len(kept[-1].text.rstrip(_SPACE)))
    return kept, sum(len(fragment.text) for fragment in kept) < sum(len(fragment.text) for fragment in fragments)


def _cut(fragment: Fragment, start: int, end: int) -> Fragment:
    assert fragment.raw is not None
    if (start, end) == (0, len(fragment.text)):
        return fragment
    if len(fragment.raw) != len(fragment.text):
        return replace(fragment, text=fragment.text[start:end], is_protected=True)
    return replace(
        fragment, text=fragment.text[start:end], raw=Span(fragment.raw.start + start, fragment.raw.start + end)
    )
