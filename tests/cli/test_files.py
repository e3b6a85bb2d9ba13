"""Every command takes every format, and folders of them."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Done, Run
from tests.formats.corpus import make_docx, make_odt, make_pdf, members_of, paragraph_xml
from tests.workflows.leaks import issue

from lexprint.cli.files import OpenedFile, open_file
from lexprint.errors import LexprintError
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.text.editing import Edit
from lexprint.text.span import Span

BITS = "1011001110"
LINK = "quick large answer"  # words that the fakes would swap


def _sentences() -> list[str]:
    return [fake_text(words=50, seed=seed) for seed in range(8)]


def _page() -> bytes:
    paragraphs = "".join(f"<p>See <code>{LINK}</code> and {one}</p>\n" for one in _sentences())
    return f"<!doctype html><html><body>{paragraphs}</body></html>".encode()


def _markdown() -> bytes:
    return "\n\n".join(["# Notes", *(f"See `{LINK}` and {one}" for one in _sentences())]).encode()


def _word() -> bytes:
    """The runs of each paragraph meet in the middle of a word; one that is never swapped, since a swap joins its runs."""
    cuts = [re.compile(" (the|and|was|his|with) ").search(one, 20).start() + 2 for one in _sentences()]  # type: ignore[union-attr] # all have one
    return make_docx("".join(paragraph_xml(one[:cut], one[cut:]) for one, cut in zip(_sentences(), cuts, strict=True)))


def _open_document() -> bytes:
    return make_odt("".join(f"<text:p>{one}</text:p>" for one in _sentences()))


def _text() -> bytes:
    return "\r\n\r\n".join(f"See https://example.org/large and {one}" for one in _sentences()).encode("utf-16")


MADE = {"in.html": _page, "in.md": _markdown, "in.docx": _word, "in.odt": _open_document, "in.txt": _text}


@pytest.fixture(params=sorted(MADE))
def name(request: pytest.FixtureRequest, folder: Path) -> str:
    """A file of each format that can be written."""
    made: str = request.param
    (folder / made).write_bytes(MADE[made]())
    return made


def _contents(path: Path) -> object:
    """A file without what packing makes of it."""
    content = path.read_bytes()
    return members_of(content) if path.suffix in (".docx", ".odt") else content


def test_every_format_is_marked_read_and_restored(run: Run, folder: Path, name: str) -> None:
    """Bits come back from the marked file, the record points into its text, and the original comes back as it was."""
    marked, back = f"marked{Path(name).suffix}", f"back{Path(name).suffix}"
    done = run("embed", name, marked, "--bits", BITS, "--record", "r.json")
    assert done.code == 0, done.errors
    assert run("extract", marked).text.startswith(BITS)
    assert "10 of the record's 10 bits agree" in run("extract", marked, "--record", "r.json").errors
    record = json.loads((folder / "r.json").read_bytes())
    text = open_source((folder / name).read_bytes(), name=name).text
    assert all(text[slice(*site["span"])] == site["found"] for site in record["sites"])
    swapped = [site for site in record["sites"] if site["found"] != site["written"]]
    found = json.loads(run("diff", name, marked, "--json").output)
    assert [change["text"] for change in found["changes"]] == [site["found"] for site in swapped] != []
    assert run("recover", marked, back, "--record", "r.json").code == 0
    assert _contents(folder / back) == _contents(folder / name) != _contents(folder / marked)
    assert run("recover", marked, back).code == 0


def test_what_is_protected_stays_and_is_no_site(run: Run, folder: Path, name: str) -> None:
    """Code and addresses carry no bits, for whoever writes, reads or counts."""
    source = open_source((folder / name).read_bytes(), name=name)
    found = json.loads(run("capacity", name, "--json").output)
    spans = [Span(*site["span"]) for site in found["sites"]]
    assert len(spans) == len(run("extract", name).text.strip())
    assert not any(span.overlaps(part) for span in spans for part in source.protected)
    assert source.protected or name in ("in.docx", "in.odt")


def test_a_payload_in_every_format(run: Run, folder: Path, name: str) -> None:
    """Written and found with the key, whatever the file is."""
    run("key", "new")
    marked = f"marked{Path(name).suffix}"
    options = ("--payload", "5", "--payload-bits", "3", "--false-positive", "0.01")
    done = run("embed", name, marked, *options)
    assert done.code == 0, done.errors
    assert run("extract", marked, "--payload-bits", "3", "--false-positive", "0.01").text == "5\n"


def test_formats_through_pipes(run: Run, folder: Path, name: str) -> None:
    """Standard input may be any format; what it is, its content says."""
    content = (folder / name).read_bytes()
    piped = run("embed", "-", "-", "--bits", BITS, given=content)
    assert piped.code == 0, piped.errors
    assert run("extract", "-", given=piped.output).text.startswith(BITS)


def _pdf(text: str) -> bytes:
    words = text.split()
    lines = [" ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
    return make_pdf([[(72.0, 740.0 - 14 * number, line) for number, line in enumerate(lines)]])


def test_a_pdf_is_read_and_never_written(run: Run, folder: Path) -> None:
    """Bits are read from it and counted in it; to mark it, its sentence says what to start from."""
    text = fake_text(words=300, seed=4)
    (folder / "plain.txt").write_text(text)
    assert run("embed", "plain.txt", "marked.txt", "--bits", "1011").code == 0
    (folder / "leak.pdf").write_bytes(_pdf((folder / "marked.txt").read_text()))
    assert run("extract", "leak.pdf").text.startswith("1011")
    assert run("diff", "marked.txt", "leak.pdf").text == "the words are the same\n"
    assert "bits in" in run("capacity", "leak.pdf").text
    refused = run("embed", "leak.pdf", "out.pdf", "--bits", "1")
    assert refused.is_refusal(2, "leak.pdf is a PDF", "the document it was made from")
    assert run("recover", "leak.pdf", "out.pdf").is_refusal(2, "leak.pdf is a PDF")
    assert not (folder / "out.pdf").exists()


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("in.txt", "out.pdf", ["taken for PDF", "fits plain text"]),
        ("in.txt", "out.docx", ["taken for Word document"]),
        ("in.docx", "out.png", ["taken for image", "fits Word document"]),
        ("slight.md", "out.txt", ["taken for plain text", "fits Markdown"]),
        ("slight.txt", "out.md", ["taken for Markdown", "fits plain text"]),
    ],
)
def test_a_name_that_misleads_is_refused(run: Run, folder: Path, source: str, target: str, words: list[str]) -> None:
    """What a reader would take for something else is refused before any model is asked."""
    (folder / "in.docx").write_bytes(_word())
    for name in ("slight.md", "slight.txt"):
        (folder / name).write_text(f"He *left* the {LINK} and went.\n\n- {fake_text(words=40, seed=1)}")
    assert run("embed", source, target, "--bits", "1").is_refusal(2, target, *words)
    assert not (folder / target).exists()


def test_what_does_not_read_back_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that lost an edit would be found out."""
    given = open_file("in.txt")

    class Forgetful:
        kind, is_writable = given.source.kind, True
        text, protected = given.text, given.protected

        def with_edits(self, edits: object) -> bytes:
            return given.content

    broken = OpenedFile(Forgetful(), given.content, given.name, given.mode)
    start = given.text.index(" ") + 1
    edit = Edit(Span(start, start + 2), "xy")
    assert given.with_edits([edit], target="out.txt") == given.content[:start] + b"xy" + given.content[start + 2 :]
    with pytest.raises(LexprintError, match="would not read back"):
        broken.with_edits([edit], target="out.txt")


def test_a_record_that_touches_protected_parts(run: Run, folder: Path) -> None:
    """A record made for the same words as plain text does not fit the page, and nothing is written."""
    page = "<p>He was there: <code>{}</code></p>"
    (folder / "in.html").write_text(page.format(fake_text(words=60, seed=1)))
    (folder / "same.txt").write_text(open_file("in.html").text)
    assert run("embed", "same.txt", "marked.txt", "--bits", "1010", "--record", "r.json").code == 0
    (folder / "marked.html").write_text(page.format((folder / "marked.txt").read_text().partition(": ")[2]))
    refused = run("recover", "marked.html", "back.html", "--record", "r.json")
    assert refused.is_refusal(2, "parts that must not change")
    assert not (folder / "back.html").exists()


@pytest.fixture
def mixed(folder: Path) -> Path:
    """A folder with a file of each format, one that nobody can read, an empty one and a hidden one."""
    place = folder / "mixed"
    (place / "sub").mkdir(parents=True)
    for name, make in MADE.items():
        (place / "sub" / name).write_bytes(make())
    (place / "leak.pdf").write_bytes(_pdf(fake_text(words=60, seed=4)))
    (place / "data.bin").write_bytes(b"\0\1\2\3" * 9)
    (place / "empty.txt").write_bytes(b"")
    (place / ".hidden").write_bytes(b"He left.")
    return place


SEEN = ["leak.pdf", "sub/in.docx", "sub/in.html", "sub/in.md", "sub/in.odt", "sub/in.txt"]


def _names(done: Done) -> list[str]:
    return [line.partition(": ")[0] for line in done.text.splitlines()]


def test_a_mixed_folder(run: Run, mixed: Path) -> None:
    """One line for each file, in order; what cannot be read is said and does not stop the rest; the worst code counts."""
    done = run("capacity", "mixed")
    assert (_names(done), done.code) == (SEEN, 2)
    assert "Word document" in done.text
    assert "lexprint: data.bin: data.bin is not text" in done.errors
    assert "lexprint: empty.txt: the text is empty" in done.errors
    assert done.errors.count("\n") == 2
    extracted = run("extract", "mixed")
    assert (_names(extracted), extracted.code) == (SEEN, 2)
    alone = run("extract", "mixed/sub/in.md").text.strip()
    assert extracted.text.splitlines()[3] == f"sub/in.md: {alone}"
    run("key", "new")
    nothing = run("extract", "mixed/sub", "--payload")
    assert nothing.code == 1
    assert all(": nothing found: " in line for line in nothing.text.splitlines())
    assert len(nothing.text.splitlines()) == 5


def test_a_mixed_folder_for_machines(run: Run, mixed: Path) -> None:
    """One list; a file that cannot be read is in it with its error."""
    for command in ("capacity", "extract"):
        done = run(command, "mixed", "--json")
        entries = json.loads(done.output)
        assert [entry["file"] for entry in entries] == sorted([*SEEN, "data.bin", "empty.txt"])
        assert {entry["file"] for entry in entries if "error" in entry} == {"data.bin", "empty.txt"}
        assert all("fingerprint" in entry for entry in entries if "error" not in entry)


def test_a_folder_of_leaks(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is traced and reported; exit code 1 if one cannot be named."""
    monkeypatch.delenv("LEXPRINT_REGISTRY", raising=False)
    with open_registry("lexprint.db") as registry:
        made = issue(registry, name="memo")
    (folder / "leaks").mkdir()
    (folder / "leaks" / "a.txt").write_text(made.copy(17))
    (folder / "leaks" / "b.html").write_text(f"<html><body><p>{made.copy(3)}</p></body></html>")
    done = run("trace", "leaks")
    assert done.code == 0, done.errors
    assert "copy 17 is that of Recipient 17; report " in done.text.splitlines()[0]
    assert done.text.splitlines()[1].startswith("b.html: The leak comes from copy 3")
    (folder / "leaks" / "c.txt").write_text(fake_text(words=80, seed=70))
    entries = json.loads((done := run("trace", "leaks", "--json")).output)
    assert (done.code, [entry["file"] for entry in entries]) == (1, ["a.txt", "b.html", "c.txt"])
    assert entries[1]["report"]["verdict"] == "one copy"
    assert run("trace", "leaks", "--report", "r.html").is_refusal(2, "--report", "folder")
    with open_registry("lexprint.db") as registry:
        assert len(registry.reports()) == 5


def test_a_folder_without_files(run: Run, folder: Path) -> None:
    """Is refused; and commands that write take no folder."""
    (folder / "none").mkdir()
    for command in ("capacity", "extract", "trace"):
        assert run(command, "none").is_refusal(2, "none is a folder without files")
    assert run("diff", "none", "in.txt").is_refusal(2, "none is a folder")
    assert run("recover", "none", "out.txt").is_refusal(2, "none is a folder")
