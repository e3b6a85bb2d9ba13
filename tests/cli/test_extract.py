"""`lexprint extract`: reading, and refusing to read."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run

import lexprint
from lexprint.testing import fake_text


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
    assert re.search(r"(\d+) of the record's \1 bits agree", done.errors)


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


@pytest.fixture
def with_payload(run: Run, folder: Path) -> Path:
    """A text that carries a payload under the key in `owner.key`."""
    (folder / "long.txt").write_text(fake_text(words=1200, seed=3))
    run("key", "new", "owner.key")
    done = run("embed", "long.txt", "payload.txt", "--payload", "A-17", "--key", "owner.key")
    assert done.code == 0, done.errors
    return folder / "payload.txt"


def test_a_payload_and_its_chance_of_error(run: Run, with_payload: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The payload on standard output; how sure it is on standard error."""
    done = run("extract", with_payload, "--key", "owner.key")
    assert (done.code, done.text) == (0, "A-17\n")
    assert re.search(r"payload of 24 bits found with key [0-9a-f]{16}: \d+ of \d+ distinct sites agree", done.errors)
    assert re.search(r"chance of error (at most \de-\d\d|below 1e-15);", done.errors)
    value = json.loads(run("extract", with_payload, "--key", "owner.key", "--json").output)
    assert (value["payload"], value["false_positive"]) == ("A-17", 1e-6)
    monkeypatch.setenv("LEXPRINT_KEY_FILE", "owner.key")
    assert run("extract", with_payload, "--payload").text == "A-17\n"
    run("key", "rotate")
    assert run("extract", with_payload, "--payload").text == "A-17\n"


def test_a_number_as_payload(run: Run, with_payload: Path) -> None:
    """Found by who knows how many bits it takes."""
    run("embed", "long.txt", "n.txt", "--payload", "417", "--payload-bits", 16, "--key", "owner.key")
    assert run("extract", "n.txt", "--key", "owner.key", "--payload-bits", 16).text == "417\n"
    assert run("extract", "n.txt", "--key", "owner.key", "--payload-bits", 15).code == 1


def test_nothing_found_is_an_answer(run: Run, with_payload: Path) -> None:
    """Exit code 1 for scripts, nothing on standard output, and no error."""
    run("key", "new", "other.key")
    for name, key in (("long.txt", "owner.key"), (with_payload, "other.key")):
        done = run("extract", name, "--key", key)
        assert (done.code, done.output) == (1, b"")
        assert done.errors.startswith("nothing found: ")
        assert "chance of error at most 1e-06" in done.errors
        assert json.loads(run("extract", name, "--key", key, "--json").output)["payload"] is None


def test_a_payload_needs_a_key(run: Run, with_payload: Path) -> None:
    """Which is refused before any model is asked, if it is missing."""
    assert run("extract", with_payload, "--payload").is_refusal(3, "lexprint key new")
    assert run("extract", with_payload, "--key", "none.key").is_refusal(3, "none.key is not there")
    assert run("extract", with_payload, "--key", "owner.key", "--message").is_refusal(2, "one of the two")
    assert run("extract", with_payload, "--key", "owner.key", "--payload-bits", 500).is_refusal(2, "128 bits")
    assert run("extract", with_payload, "--key", "owner.key", "--false-positive", 0).is_refusal(2, "probability")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", ["not JSON"]),
        (b"[" * 100_000, ["not JSON"]),
        (b"\xff\xfe\x00", ["not JSON"]),
        (b"[]", ["corrupt"]),
        (b'{"fingerprint": "x"}', ["corrupt"]),
        (b"null", ["corrupt"]),
    ],
)
def test_a_damaged_record(run: Run, marked: Path, content: bytes, words: list[str]) -> None:
    """Whatever is no record is refused with its name."""
    Path("bad.json").write_bytes(content)
    assert run("extract", marked, "--record", "bad.json").is_refusal(2, "bad.json", *words)
    assert run("recover", marked, "back.txt", "--record", "bad.json").is_refusal(2, "bad.json", *words)


def test_bad_input_is_one_sentence(run: Run, marked: Path) -> None:
    """Exit code 2 for usage errors."""
    assert run("extract", "none.txt").is_refusal(2, "not there")
    assert run("extract", "-", given=b" \n").is_refusal(2, "empty")
    assert run("extract", marked, "--record", "none.json").is_refusal(2, "none.json is not there")
    assert run("extract", marked, "--record", "r.json", "--fingerprint", "x").is_refusal(2, "both")


def test_a_record_brings_its_settings(run: Run, folder: Path) -> None:
    """What was written with others than the usual ones is read by the record alone."""
    written = "1011001110001011"
    assert run("embed", "in.txt", "gap.txt", "--bits", written, "--gap", 3, "--record", "gap.json").code == 0
    done = run("extract", "gap.txt", "--record", "gap.json")
    assert done.code == 0, done.errors
    assert done.text.startswith(written)
    assert re.search(r"(\d+) of the record's \1 bits agree", done.errors)
