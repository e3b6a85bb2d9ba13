"""`lexprint embed`: what is written, where, and what is refused."""

import codecs
import json
import os
import stat
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from tests.cli.conftest import MEMO, Run

from lexprint.testing import fake_text

BITS = "1011001"


def test_bits_come_back(run: Run, folder: Path) -> None:
    """What was written is what is read first."""
    done = run("embed", "in.txt", "out.txt", "--bits", BITS)
    assert (done.code, done.output) == (0, b"")
    assert "7 bits written" in done.errors
    assert run("extract", "out.txt").text.startswith(BITS)


def test_a_message_comes_back(run: Run, folder: Path, prose: str) -> None:
    """Without a record, and whether or not the text has room for the end of the message."""
    carried = len(run("extract", "in.txt").text.strip())
    for message in ("é!", "x", "m" * (carried // 8)):
        done = run("embed", "in.txt", "out.txt", "--message", message)
        if done.code:  # exchanged words may cost the text a site or two
            assert len(message) == carried // 8
            continue
        assert run("extract", "out.txt", "--message").text == f"{message}\n"


def test_the_record_says_all(run: Run, folder: Path) -> None:
    """Fingerprint, settings and every site, as JSON on standard output and in a file alike."""
    done = run("embed", "in.txt", "out.txt", "--bits", BITS, "--json", "--record", "r.json", "--gap", 2)
    record = json.loads(done.output)
    assert record == json.loads((folder / "r.json").read_bytes())
    assert record["bits"] == BITS
    assert record["settings"]["watermark"] == {"gap": 2, "ranking": "acceptance", "risk_set": "careful"}
    assert len(record["fingerprint"]) == 16
    marked = (folder / "out.txt").read_text()
    site = record["sites"][0]
    assert set(site) >= {"span", "pair", "word", "bit", "entailment", "reliability"}
    assert site["bit"] == int(BITS[0])
    assert marked.startswith(site["written"], site["span"][0])


def test_pipes(run: Run, folder: Path, prose: str) -> None:
    """A text may come from standard input and go to standard output; the summary does not disturb it."""
    run("embed", "in.txt", "out.txt", "--bits", BITS)
    piped = run("embed", "-", "-", "--bits", BITS, given=prose.encode())
    assert piped.output == (folder / "out.txt").read_bytes()


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("cp1252", b""),
        ("latin-1", b""),
    ],
)
def test_all_but_the_sites_stays(run: Run, folder: Path, prose: str, encoding: str, mark: bytes) -> None:
    """Any encoding and any line ending come back byte for byte, and so does the original."""
    strange = "\x81" if encoding == "latin-1" else "“Café”"
    text = f"{strange}\r\n{prose}".replace(" and ", "\r\n\tand  ").replace("\n\n", "\n\r\n")
    if encoding == "latin-1":
        text = text.replace("“", '"')
    original = mark + text.encode(encoding)
    (folder / "in.txt").write_bytes(original)
    assert run("embed", "in.txt", "out.txt", "--bits", BITS, "--record", "r.json").code == 0
    marked = (folder / "out.txt").read_bytes()
    record = json.loads((folder / "r.json").read_bytes())
    expected, shift = text, 0
    for site in record["sites"]:
        start, end = (place + shift for place in site["span"])
        expected = expected[:start] + site["written"] + expected[end:]
        shift += len(site["written"]) - (end - start)
    assert marked == mark + expected.encode(encoding)
    assert run("recover", "out.txt", "back.txt", "--record", "r.json").code == 0
    assert (folder / "back.txt").read_bytes() == original


def test_permissions_stay(run: Run, folder: Path) -> None:
    """A new file is no more open than the one it was made from; an old one keeps what it had."""
    (folder / "in.txt").chmod(0o600)
    run("embed", "in.txt", "new.txt", "--bits", BITS)
    (folder / "old.txt").write_text("old")
    (folder / "old.txt").chmod(0o640)
    run("embed", "in.txt", "old.txt", "--bits", BITS)
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("new.txt", "old.txt")]
    assert modes == [0o600, 0o640]
    assert (folder / "old.txt").read_bytes() == (folder / "new.txt").read_bytes()


def test_a_link_stays_a_link(run: Run, folder: Path) -> None:
    """What a link names is written, not the link."""
    (folder / "real.txt").write_text("old")
    (folder / "link.txt").symlink_to("real.txt")
    assert run("embed", "in.txt", "link.txt", "--bits", BITS).code == 0
    assert (folder / "link.txt").is_symlink()
    assert (folder / "real.txt").read_text() != "old"


def test_a_failure_leaves_the_old_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full at the last moment, what was there is there."""

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (folder / "out.txt").write_text("old")
    monkeypatch.setattr(os, "fsync", fail)
    done = run("embed", "in.txt", "out.txt", "--bits", BITS)
    assert done.is_refusal(2, "out.txt", "No space left on device")
    assert (folder / "out.txt").read_text() == "old"


def test_a_folder_that_may_not_be_written(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is refused before the work, not after it."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert run("embed", "in.txt", "out.txt", "--bits", BITS).is_refusal(2, "nothing may be written")
    assert run("embed", "in.txt", os.devnull, "--bits", BITS).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no devices in folders")
def test_a_device_is_written_not_replaced(run: Run, folder: Path) -> None:
    """`/dev/null` may be the target, and is one afterwards."""
    assert run("embed", "in.txt", os.devnull, "--bits", BITS).code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_too_many_bits_are_refused(run: Run, folder: Path) -> None:
    """A text that is too short says so in numbers, and nothing is written."""
    done = run("embed", "in.txt", "out.txt", "--bits", "10" * 500)
    assert done.is_refusal(1, "the message has 1000")
    assert run("embed", "in.txt", "out.txt", "--message", "m" * 200).is_refusal(1, "the message has 1600")
    assert not (folder / "out.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["in.txt", "out.txt"], ["neither"]),
        (["in.txt", "out.txt", "--bits", "1", "--message", "x"], ["both"]),
        (["in.txt", "out.txt", "--bits", "1", "--payload", "x"], ["both"]),
        (["in.txt", "out.txt", "--bits", "1", "--key", "owner.key"], ["--payload"]),
        (["in.txt", "out.txt", "--bits", "1", "--payload-bits", "8"], ["--payload"]),
        (["in.txt", "out.txt", "--bits", "1021"], ["other characters"]),
        (["in.txt", "out.txt", "--bits", ""], ["empty"]),
        (["in.txt", "out.txt", "--message", ""], ["empty"]),
        (["in.txt", "out.txt", "--message", "a\udcffb"], ["UTF-8"]),
        (["none.txt", "out.txt", "--bits", "1"], ["none.txt is not there"]),
        ([".", "out.txt", "--bits", "1"], ["folder"]),
        (["blank.txt", "out.txt", "--bits", "1"], ["the text is empty"]),
        (["zip.bin", "out.txt", "--bits", "1"], ["zip.bin is a damaged ZIP file"]),
        (["broken16.txt", "out.txt", "--bits", "1"], ["damaged UTF-16"]),
        (["in.txt", "in.txt", "--bits", "1"], ["overwritten"]),
        (["in.txt", "./sub/../in.txt", "--bits", "1"], ["overwritten"]),
        (["in.txt", "out.txt", "--record", "out.txt", "--bits", "1"], ["overwritten"]),
        (["in.txt", "sub", "--bits", "1"], ["sub is a folder"]),
        (["in.txt", "nowhere/out.txt", "--bits", "1"], ["nowhere does not exist"]),
        (["in.txt", "-", "--bits", "1", "--json"], ["standard output"]),
        (["in.txt", "out.txt", "--bits", "1", "--gap", "0"], ["watermark.gap"]),
        (["in.txt", "out.txt", "--bits", "1", "--profile", "papers"], ["profile"]),
        (["in.txt", "out.txt", "--bits", "1", "--settings", "none.toml"], ["none.toml"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, folder: Path, arguments: list[str], words: list[str]) -> None:
    """Any usage error gives one sentence and exit code 2, and no file."""
    (folder / "sub").mkdir()
    (folder / "blank.txt").write_bytes(b" \r\n\t\xc2\xa0")
    (folder / "zip.bin").write_bytes(b"PK\x03\x04\x00\x00")
    (folder / "broken16.txt").write_bytes(codecs.BOM_UTF16_LE + b"\x00\xd8a")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert run("embed", *arguments).is_refusal(2, *words)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_file_that_may_not_be_read(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No permission is no traceback."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert run("embed", "in.txt", "out.txt", "--bits", "1").is_refusal(2, "in.txt is not readable")


def test_payloads_that_cannot_be_written(run: Run, folder: Path) -> None:
    """Wrong payloads are usage, a missing key is a damaged environment, too short a text is neither."""
    embed = ("embed", "in.txt", "out.txt")
    assert run(*embed, "--payload", "A").is_refusal(3, "lexprint key new")
    run("key", "new")
    assert run(*embed, "--payload", "").is_refusal(2, "empty")
    assert run(*embed, "--payload", "x" * 99).is_refusal(2, "too long")
    assert run(*embed, "--payload", "A-7", "--payload-bits", "16").is_refusal(2, "no number")
    assert run(*embed, "--payload", "9" * 5000, "--payload-bits", "16").is_refusal(2, "no number")
    assert run(*embed, "--payload", "70000", "--payload-bits", "16").is_refusal(2, "65535")
    assert run(*embed, "--payload", "7", "--payload-bits", "0").is_refusal(2, "128 bits")
    assert run(*embed, "--payload", "A", "--false-positive", "2").is_refusal(2, "probability")
    assert run(*embed, "--payload", "ACME-2026-00417").is_refusal(1, "72 bits needs 99", "words")
    assert not (folder / "out.txt").exists()


def test_a_payload_is_written_with_the_newest_key(run: Run, folder: Path) -> None:
    """The summary says which key, and how much of the copy may be lost; the record restores the original."""
    (folder / "long.txt").write_text(fake_text(words=1200, seed=3))
    run("key", "new", "owner.key")
    newest = run("key", "rotate", "owner.key").text.strip()
    done = run("embed", "long.txt", "out.txt", "--payload", "A-17", "--key", "owner.key", "--record", "r.json")
    assert (done.code, done.output) == (0, b"")
    assert f"payload of 24 bits written with key {newest}" in done.errors
    assert "may be lost" in done.errors
    assert json.loads((folder / "r.json").read_bytes())["key"] == newest
    run("recover", "out.txt", "back.txt", "--record", "r.json")
    assert (folder / "back.txt").read_bytes() == (folder / "long.txt").read_bytes()


def test_with_the_shipped_models(run_shipped: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Capacity, embed, extract and recover agree, whatever the weights are; what a shell marks is read in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXPRINT_SUBSTITUTION_ENTAILMENT_FLOOR", "0.2")  # so that any weights find sites
    monkeypatch.setenv("LEXPRINT_SUBSTITUTION_PROPOSALS", "4")
    Path("in.txt").write_text(MEMO)
    capacity = json.loads(run_shipped("capacity", "in.txt", "--json").output)
    bits = "10" * (capacity["bits"] // 4) or "1"
    command = [sys.executable, "-m", "lexprint", "embed", "in.txt", "out.txt", "--bits", bits, "--record", "r.json"]
    subprocess.run(command, check=True)
    assert run_shipped("extract", "out.txt", "--record", "r.json").text.startswith(bits)
    assert run_shipped("recover", "out.txt", "back.txt", "--record", "r.json").code == 0
    assert Path("back.txt").read_text() == MEMO


def test_a_reader_who_stops_early(tmp_path: Path) -> None:
    """Nothing is said, and the exit code is that of a program that a broken pipe ends."""
    (tmp_path / "a.txt").write_text("One word here. " * 5000)
    (tmp_path / "b.txt").write_text("One term here. " * 5000)
    for option, unbuffered in product(("--json", None), ("", "1")):
        command = [sys.executable, "-m", "lexprint", "diff", "a.txt", "b.txt", *([option] if option else [])]
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(10)
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 141
