"""PDF files, through the process that reads them."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.formats.corpus import make_pdf

from lexprint.errors import ExtraMissing, FormatError, LexprintError
from lexprint.formats import pdf_pages, pdf_text
from lexprint.formats.pdf_text import as_running_text, is_pdf, read_pdf


def test_text_is_read_whole() -> None:
    """Words that a line break cut are joined."""
    content = make_pdf([[(72, 700, "An unbeliev-"), (72, 688, "able house.")], [(72, 700, "Second page.")]])
    source = read_pdf(content, name="leak.pdf")
    assert source.text.split() == "An unbelievable house. Second page.".split()
    assert (source.kind, source.is_writable, source.protected) == ("PDF", False, ())


def test_addresses_are_protected() -> None:
    """As in every other format, so that a copy and a PDF of it are read alike."""
    source = read_pdf(make_pdf([[(72, 700, "Write to large@example.com about it.")]]), name="leak.pdf")
    assert [span.of(source.text) for span in source.protected] == ["large@example.com"]


def test_a_pdf_is_never_written() -> None:
    """Who wants to mark one is told what to mark instead."""
    source = read_pdf(make_pdf([[(72, 700, "One.")]]), name="memo.pdf")
    with pytest.raises(FormatError, match=r"memo\.pdf is a PDF; needed: the document it was made from"):
        source.with_edits([])


@pytest.mark.parametrize(
    ("found", "whole"),
    [
        ("exam-\nple", "example"),
        ("well-\nknown and well-known", "well-known and well-known"),
        ("Saxe-\nCoburg", "Saxe-Coburg"),
        ("1990-\n1995", "1990-\n1995"),
        ("oﬃce ﬂoor", "office floor"),
        ("soft\u00ad\nhyphen", "softhyphen"),
        ("a - b", "a - b"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
    ],
)
def test_words_are_made_whole(found: str, whole: str) -> None:
    """Line breaks and ligatures of typesetters are undone; true hyphens stay where the text shows that they are."""
    assert as_running_text(found) == whole


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"%PDF-1.7\n%%EOF", make_pdf([[(72, 700, "One.")]])[:200], b"%PDF-1.4\n" + bytes(range(256)) * 9],
)
def test_damaged_files_are_refused(content: bytes) -> None:
    """A broken PDF gives one clear sentence."""
    with pytest.raises(FormatError, match=r"leak\.pdf is a damaged PDF|scanned PDF"):
        read_pdf(content, name="leak.pdf")


def test_long_files_are_refused() -> None:
    """Ten thousand pages are too many."""
    with pytest.raises(FormatError, match="too long a PDF"):
        read_pdf(make_pdf([[]] * 10_000), name="leak.pdf")


def test_slow_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PDF that keeps its reader busy is given up."""
    monkeypatch.setattr(pdf_text, "TIMEOUT_SECONDS", 0.01)
    with pytest.raises(FormatError, match="too complex"):
        read_pdf(make_pdf([[(72, 700, "One.")]]), name="leak.pdf")


def test_exit_codes_agree() -> None:
    """Both sides of the process mean the same by a code and a limit."""
    for code in ("ENCRYPTED", "TOO_LONG", "NO_PICTURES"):
        assert getattr(pdf_text, code) == getattr(pdf_pages, code)
    assert f"{pdf_pages.MOST_PAGES:,}" == "2,000"
    assert pdf_text.RESOLUTION == pdf_pages.RESOLUTION


def test_scans_without_tesseract_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without text need a reader of pictures."""
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(FormatError, match=r"a scanned PDF; needed: Tesseract.*apt-get install tesseract-ocr"):
        read_pdf(make_pdf([[]]), name="leak.pdf")


def test_poppler_draws_where_nothing_else_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is installed spares the user an extra; without it the extra is named."""
    monkeypatch.setattr(pdf_text, "_drawn_by_poppler", lambda content, number: b"picture of page %d" % number)

    def cannot_draw(content: bytes, name: str, *arguments: str) -> bytes:
        raise ExtraMissing("pypdfium2", extra="scans")

    monkeypatch.setattr(pdf_text, "_run", cannot_draw)
    monkeypatch.setattr(shutil, "which", lambda program: program)
    assert pdf_text._picture(b"", 2, name="leak.pdf") == b"picture of page 2"
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(ExtraMissing):
        pdf_text._picture(b"", 2, name="leak.pdf")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (pdf_pages.ENCRYPTED, "an encrypted PDF; needed: one without a password"),
        (pdf_pages.NO_PICTURES, r"a scanned PDF, is not installed; run: pip install 'lexprint\[scans\]'"),
        (-9, "a damaged PDF"),
    ],
)
def test_every_end_of_the_reader_has_a_sentence(monkeypatch: pytest.MonkeyPatch, code: int, message: str) -> None:
    """A password, a missing program and a crash are told apart."""

    def end(*arguments: object, **options: object) -> None:
        raise subprocess.CalledProcessError(code, "reader")

    monkeypatch.setattr(subprocess, "run", end)
    with pytest.raises(LexprintError, match=message):
        read_pdf(make_pdf([[]]), name="leak.pdf")


def test_nothing_of_the_working_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file called like a module of ours is not imported by the reader."""
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    assert read_pdf(make_pdf([[(72, 700, "One.")]]), name="leak.pdf").text == "One."


def test_a_pdf_is_known_by_its_mark() -> None:
    """The mark may follow some junk, as readers allow; text about it is no PDF."""
    assert is_pdf(b"junk\n%PDF-1.4\n")
    assert not is_pdf(b"%PDF is a format")


def test_a_reader_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even then there is one clear sentence."""

    def fail(*arguments: object, **options: object) -> None:
        raise OSError("no processes left")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(FormatError, match="could not be read"):
        read_pdf(make_pdf([[]]), name="leak.pdf")
