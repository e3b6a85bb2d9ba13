"""`lexprint extract`: reading, and refusing to read."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

import lexprint


@pytest.fixture
def marked(run: Run, folder: Path) -> Path:
    """A marked text and its record, `r.json`."""
    assert run("embed", "in.txt", "out.txt", "--message", "Hi", "--record", "r.json").code == 0
    return folder / "out.txt"


def test_bits_are_all_that_is_printed(run: Run, marked: Path) -> None:
    """Zeros, ones and a line end; everything else is on standard error."""
    done = run("extract", marked)
    assert set(done.text) == {"0", "1", "\n"}
    assert done.text.startswith("0100100001101001")
    assert "least reliability" in done.errors


def test_a_pipe_and_json(run: Run, marked: Path) -> None:
    """The same from standard input, with sites that point into the marked text."""
    done = run("extract", "-", "--json", given=marked.read_bytes())
    reading = json.loads(done.output)
    assert reading["bits"] == run("extract", marked).text.strip()
    assert reading["message"] == "Hi"
    text = marked.read_text()
    for site in reading["sites"]:
        start, end = site["span"]
        assert text[start:end] == site["found"] == site["pair"][site["bit"]]
        assert site["reliability"] > 0


def test_the_record_agrees(run: Run, marked: Path) -> None:
    """A record names what marked the copy, and how much of it is there."""
    done = run("extract", marked, "--record", "r.json", "--message")
    assert (done.code, done.text) == (0, "Hi\n")
    assert "24 of the record's 24 bits agree" in done.errors


def test_another_fingerprint_is_refused(run: Run, marked: Path) -> None:
    """What other settings have written is not read, and the message says what would read it."""
    fingerprint = json.loads(Path("r.json").read_bytes())["fingerprint"]
    assert run("extract", marked, "--fingerprint", fingerprint).code == 0
    refused = run("extract", marked, "--record", "r.json", "--gap", 2)
    assert refused.is_refusal(3, fingerprint, f"lexprint {lexprint.__version__}", "lexprint@1", "watermark.gap = 1")
    assert run("extract", marked, "--fingerprint", "0" * 16).is_refusal(3, "0" * 16, "that marked it")


def test_another_version_is_refused(run: Run, marked: Path) -> None:
    """A record of another version says what to install."""
    record = json.loads(Path("r.json").read_bytes()) | {"lexprint": "9.9.9", "fingerprint": "f" * 16}
    Path("r9.json").write_text(json.dumps(record))
    assert run("extract", marked, "--record", "r9.json").is_refusal(3, "pip install lexprint==9.9.9")


def test_a_known_profile_is_named(run: Run, marked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare fingerprint of a profile with another gap is recognised."""
    monkeypatch.delenv("LEXPRINT_SUBSTITUTION_PROPOSALS")
    fingerprint = json.loads(run("extract", marked, "--json", "--gap", 3).output)["fingerprint"]
    refused = run("extract", marked, "--fingerprint", fingerprint)
    assert refused.is_refusal(3, "profile lexprint@1", "watermark.gap = 3")


def test_bits_that_are_no_text(run: Run, folder: Path) -> None:
    """Exit code 1, and nothing on standard output."""
    assert run("embed", "in.txt", "out.txt", "--bits", "1" * 16).code == 0
    done = run("extract", "out.txt", "--message")
    assert (done.code, done.output) == (1, b"")
    assert "no text" in done.errors


def test_a_text_without_sites_says_nothing(run: Run, folder: Path) -> None:
    """No bits is an answer."""
    done = run("extract", "-", given=b"Too short.")
    assert (done.code, done.text) == (0, "\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", ["not JSON"]),
        (b"[" * 100_000, ["not JSON"]),
        (b"\xff\xfe\x00", ["not JSON"]),
        (b"[]", ["damaged"]),
        (b'{"fingerprint": "x"}', ["damaged"]),
        (b"null", ["damaged"]),
    ],
)
def test_a_damaged_record(run: Run, marked: Path, content: bytes, words: list[str]) -> None:
    """Whatever is no record is refused with its name."""
    Path("bad.json").write_bytes(content)
    assert run("extract", marked, "--record", "bad.json").is_refusal(2, "bad.json", *words)
    assert run("recover", marked, "back.txt", "--record", "bad.json").is_refusal(2, "bad.json", *words)


def test_bad_input_is_one_sentence(run: Run, marked: Path) -> None:
    """Exit code 2 for what is asked wrongly."""
    assert run("extract", "none.txt").is_refusal(2, "not there")
    assert run("extract", "-", given=b" \n").is_refusal(2, "empty")
    assert run("extract", marked, "--record", "none.json").is_refusal(2, "none.json is not there")
    assert run("extract", marked, "--record", "r.json", "--fingerprint", "x").is_refusal(2, "both")
