"""A PDF, a web page, a message or a Word document that shows one text to people and another one to programs."""

import io
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.formats.corpus import make_docx, make_pdf, make_zip, paragraph_xml
from tests.workflows.leaks import issue

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import FormatError
from lexprint.formats.protocol import remarks_of
from lexprint.formats.source import open_source
from lexprint.library import Lexprint
from lexprint.registry.protocol import open_registry
from lexprint.reports.page import report_page
from lexprint.reports.report import Report
from lexprint.workflows.letters import Enclosure, Letter, message_with
from lexprint.workflows.tracing import trace

WORDS_A_LINE = 10


def page(*, seen: str, hidden: str) -> bytes:
    """With lines of the one, and of the other in letters that leave no ink."""
    lines = [_lines(seen, top=760), _lines(hidden, top=755)]
    content = make_pdf([[(72.0, 780.0, "HEAD"), *lines[0], (72.0, 20.0, "TURN"), *lines[1]]])
    turn, head = (
        b"BT /F1 10 Tf 1 0 0 1 72.0 %s.0 Tm (%s) Tj ET" % place for place in ((b"20", b"TURN"), (b"780", b"HEAD"))
    )
    assert turn in content
    switch = b"3 Tr".ljust(len(turn))  # as long as what it stands for, so that no offset moves
    return content.replace(turn, switch).replace(head, b" " * len(head))


def _lines(text: str, *, top: int) -> Sequence[tuple[float, float, str]]:
    words = text.split()
    rows = [" ".join(words[start : start + WORDS_A_LINE]) for start in range(0, len(words), WORDS_A_LINE)]
    return [(72.0, float(top - 10 * row), line) for row, line in enumerate(rows)]


def test_what_is_not_seen_is_not_read() -> None:
    """Where a page shows a text, another one under it says nothing; where it shows none, that is noted."""
    both = open_source(page(seen="A large house near the river", hidden="A big home at a stream"), name="leak.pdf")
    assert both.text.split() == ["A", "large", "house", "near", "the", "river"]
    assert remarks_of(both) == ()
    layer = open_source(page(seen="", hidden="A big home at a stream"), name="leak.pdf")
    assert layer.text.split() == ["A", "big", "home", "at", "a", "stream"]
    assert "1 page of the leaked PDF" in remarks_of(layer)[0]


def test_another_copy_under_the_one_that_is_seen(tmp_path: Path) -> None:
    """The copy that is seen is named; a copy that only a hidden layer holds is named with a note on it, in what is signed."""
    keys = Keyring((MasterKey.generate(),))
    with open_registry(str(tmp_path / "registry.db"), keys=keys) as registry:
        issued = issue(registry, copies=5)

        def traced(content: bytes) -> Report:
            leak = open_source(content, name="leak.pdf")
            return trace(registry, leak.text, remarks=remarks_of(leak), keys=keys)

        report = traced(page(seen=issued.copy(1), hidden=issued.copy(2)))
        assert [copy.number for copy in report.accused] == [1]
        report = traced(page(seen="", hidden=issued.copy(2)))
        assert [copy.number for copy in report.accused] == [2]
        assert "a hidden layer" in " ".join(report.notes)
    with Lexprint(registry=tmp_path / "registry.db", keys=keys) as lx:
        signed = lx.trace(page(seen="", hidden=issued.copy(2))).signed
    assert "a hidden layer" in " ".join(signed["report"]["notes"])


def test_another_text_under_a_picture(tmp_path: Path) -> None:
    """Whoever lays any text under the picture of a leaked page is told of no document, with the same note."""
    layer = open_source(page(seen="", hidden="A big home at a stream"), name="leak.pdf")
    with open_registry(str(tmp_path / "registry.db")) as registry:
        issue(registry, copies=5)
        report = trace(registry, layer.text, remarks=remarks_of(layer))
    assert report.verdict == "no document"
    assert ["a hidden layer" in note for note in report.notes] == [True]
    assert "a hidden layer" in report_page(report)


HIDING = {
    "a style": '<p style="color: red; display : none">{}</p>',
    "a sheet": "<style>.x {{ visibility:hidden }}</style><p class=x>{}</p>",
    "an attribute": "<div class='x' hidden>{}</div>",
    "no size": "<span style='font-size:0'>{}</span>",
}


@pytest.mark.parametrize("way", HIDING)
def test_a_page_that_hides_another_copy(tmp_path: Path, way: str) -> None:
    """Words that only programs see are read, and what is signed says that the page hides some."""
    with open_registry(str(tmp_path / "registry.db")) as registry:
        issued = issue(registry, copies=5)
        page = f"<!doctype html><html><body><p>See below.</p>{HIDING[way].format(issued.copy(2))}</body></html>"
        leak = open_source(page.encode(), name="leak.html")
        report = trace(registry, leak.text, remarks=remarks_of(leak))
        assert [copy.number for copy in report.accused] == [2]
        assert ["hides parts" in note for note in report.notes] == [True]


def test_pages_that_hide_nothing() -> None:
    """Nothing is said of them, whatever else their styles do and whatever they write about hiding."""
    page = "<!doctype html><html><body><p style='opacity:0.9; font-size:0.8em' data-x=hidden>A hidden house</p></body></html>"
    assert remarks_of(open_source(page.encode(), name="leak.html")) == ()


def message(*, plain: str, page: str) -> bytes:
    head = "From: a@example.org\nMessage-ID: <1@example.org>\nMIME-Version: 1.0\n"
    parts = f"--x\nContent-Type: text/plain\n\n{plain}\n--x\nContent-Type: text/html\n\n<p>{page}</p>\n--x--\n"
    return f"{head}Content-Type: multipart/alternative; boundary=x\n\n{parts}".encode()


def test_a_message_that_says_two_things(tmp_path: Path) -> None:
    """Mail programs show the page and programs read the plain text: where their words differ, what is signed says so."""
    with open_registry(str(tmp_path / "registry.db")) as registry:
        issued = issue(registry, copies=5)
        leak = open_source(message(plain=issued.copy(2), page=issued.copy(1)), name="leak.eml")
        report = trace(registry, leak.text, remarks=remarks_of(leak))
        assert [copy.number for copy in report.accused] == [2]
        (note,) = [one for one in report.notes if "as plain text" in one]
        differing = sum(one != other for one, other in zip(issued.codewords[0], issued.codewords[1], strict=True))
        assert f"differ in {differing} words" in note
    same = open_source(message(plain=issued.copy(1), page=issued.copy(1)), name="leak.eml")
    assert remarks_of(same) == ()


def test_a_message_of_our_own_says_one_thing() -> None:
    """The plain text that goes with a page has addresses, code and signs of its own, and none of it is said to differ."""
    page = (
        "<!doctype html><html><body><h1>Plan</h1><p>The board spoke of <a href='https://x.example/'>the depot</a>.</p>"
        "<ul><li>Two big things</li></ul><pre>code here</pre></body></html>"
    )
    enclosed = Enclosure("memo.html", page.encode(), "ada@example.org", "<1@example.org>")
    sent = message_with(enclosed, Letter("bo@example.org", "Memo", "", is_body=True)).as_bytes()
    assert remarks_of(open_source(sent, name="leak.eml")) == ()


def test_a_message_whose_page_hides_another_copy(tmp_path: Path) -> None:
    """The same as for pages."""
    content = message(plain="", page=f"See below.</p><p style='display:none'>{'A big home at a stream. ' * 9}")
    assert any("hides parts" in remark for remark in remarks_of(open_source(content, name="leak.eml")))


ATTACHED = {
    "page.html": (b"<html><body><p>See below.</p><p hidden>A big home at a stream.</p></body></html>", "hides parts"),
    "scan.pdf": (page(seen="", hidden="A big home at a stream"), "a hidden layer"),
}


@pytest.mark.parametrize("name", ATTACHED)
def test_an_attached_file_that_hides_another_copy(name: str) -> None:
    """Nor is it silent where the page or the PDF is attached to a message, which was forwarded in another."""
    content, said = ATTACHED[name]
    inner = EmailMessage()
    inner["From"], inner["Message-ID"] = "a@example.org", "<1@example.org>"
    inner.set_content("Please find it attached.")
    kind, subtype = ("text", "html") if name.endswith("html") else ("application", "pdf")
    inner.add_attachment(content, maintype=kind, subtype=subtype, filename=name)
    outer = EmailMessage()
    outer["From"], outer["Message-ID"] = "b@example.org", "<2@example.org>"
    outer.set_content("See this.")
    outer.add_attachment(inner)
    for message_bytes in (inner.as_bytes(), outer.as_bytes()):
        leak = open_source(message_bytes, name="leak.eml")
        assert "A big home at a stream" in " ".join(leak.text.split())
        assert any(said in remark for remark in remarks_of(leak))


def two_main_parts(*, opened: str, other: str, target: str) -> bytes:
    """A Word document with two main parts; word processors open the one that the package names."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    names = {"word/document.xml": opened, "word/a.xml": other}
    types = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name in names)
    relationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    members = {"[Content_Types].xml": f"<Types>{types}</Types>".encode()}
    members["_rels/.rels"] = (
        f'<Relationships><Relationship Id="r1" Type="{relationship}" Target="{target}"/></Relationships>'.encode()
    )
    for name, text in names.items():
        with zipfile.ZipFile(io.BytesIO(make_docx(paragraph_xml(text)))) as package:
            members[name] = package.read("word/document.xml")
    return make_zip(members)


@pytest.mark.parametrize("target", ["word/document.xml", "/word/document.xml", "./word/../word/Document.xml"])
def test_a_word_document_with_another_copy_in_a_second_main_part(target: str) -> None:
    """What a word processor opens is what is read, whichever name comes first."""
    content = two_main_parts(opened="A large house", other="A big home", target=target)
    assert open_source(content, name="leak.docx").text.split() == ["A", "large", "house"]


def test_a_word_document_of_which_nobody_knows_what_is_opened() -> None:
    """It is refused: programs would disagree."""
    content = two_main_parts(opened="A large house", other="A big home", target="word/none.xml")
    with pytest.raises(FormatError, match="two main parts"):
        open_source(content, name="leak.docx")


def alternatives(*, choice: str, fallback: str | None) -> bytes:
    """A Word document with a passage for programs that know something, and another for those that do not."""
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    other = "" if fallback is None else f"<mc:Fallback>{paragraph_xml(fallback)}</mc:Fallback>"
    first = f'<mc:Choice Requires="w99">{paragraph_xml(choice)}</mc:Choice>'
    return make_docx(f'<mc:AlternateContent xmlns:mc="{space}">{first}{other}</mc:AlternateContent>')


@pytest.mark.parametrize("fallback", ["A large house", "", None])
def test_a_word_document_that_says_two_things(fallback: str | None) -> None:
    """Which of two passages is shown depends on the program: where they differ, what is signed says so."""
    leak = open_source(alternatives(choice="A big home", fallback=fallback), name="leak.docx")
    assert "says one thing to some programs" in remarks_of(leak)[0]


def test_a_word_document_whose_alternatives_say_the_same() -> None:
    """As the text boxes of word processors do: nothing is said of them."""
    leak = open_source(alternatives(choice="A big home", fallback="A big home"), name="leak.docx")
    assert remarks_of(leak) == ()
