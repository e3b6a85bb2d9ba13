"""Files made to take all time or memory: each is read or refused soon, in little memory, and the process that asked goes on."""

import os
import pickle
import random
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.cli.conftest import Run
from tests.formats.corpus import make_docx, make_odt, make_pdf
from tests.server.served import bearer, fake_engine

from lexprint.errors import FormatError, SettingsError
from lexprint.formats import child
from lexprint.formats.child import ReadingLimits, default_limits
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.server.app import create_app
from lexprint.server.tokens import create_token

SECONDS, MEGABYTES = 10.0, 500
DEEPEST = 59_000_000  # bytes of markup, just below what is refused as a bomb
ROOT = Path(__file__).parents[2]
READER = child._ask  # a program of its own, before other tests have it replaced


@pytest.fixture(autouse=True)
def real_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read here as users have them read."""
    monkeypatch.setattr(child, "_ask", READER)


# Opens a file in a fresh process, and tells the processor time of it and its children, and the most memory that it and the
# largest of its children had.
OPEN = """
import resource, sys
from pathlib import Path
from lexprint.errors import FormatError
from lexprint.formats.source import open_source
from lexprint.text.segmentation import segment
path = Path(sys.argv[1])
try:
    source = open_source(path.read_bytes(), name=path.name)
    print("read", segment(source.text, protected=source.protected).word_count, end="\\t")
except FormatError as error:
    print("refused", error, end="\\t")
usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(sum(one.ru_utime + one.ru_stime for one in usage), end="\\t")
own = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(own, usage[1].ru_maxrss)
"""


def opened(path: Path, *, tesseract: str | None = None) -> str:
    """What became of a file, in time and memory as stated; `tesseract` is a program that stands in for it.

    Time is that of a processor, which is the same on a busy machine.
    """
    environment = {**os.environ, "PATH": str(path.parent)}
    if tesseract is not None:
        program = path.parent / "tesseract"
        program.write_text(f"#!{sys.executable}\n{tesseract}\n")
        program.chmod(0o755)
    command = [sys.executable, "-c", OPEN, str(path)]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    outcome, seconds, memory = finished.stdout.split("\t")
    assert float(seconds) < SECONDS, f"{outcome} after {seconds} s"
    assert sum(map(int, memory.split())) / 1024 < MEGABYTES, f"{outcome} with {memory} KB"
    return outcome


def long_word_pdf() -> bytes:
    """A page with one word of 60,000 letters, on lines that follow each other without a space."""
    return make_pdf([[(72, 700, "a" * 60_000)]])


def deep_docx(size: int = DEEPEST) -> bytes:
    """150 KB that unpack to so much markup."""
    markup = "<w:p><w:r><w:t>a</w:t></w:r></w:p>" * (size // 34)
    noise = random.Random(1).randbytes(74_000).hex()  # so that the ratio is that of a real document
    return make_docx(f"{markup}<!--{noise}-->")


def deep_odt(size: int = DEEPEST) -> bytes:
    """The same for OpenDocument."""
    noise = random.Random(1).randbytes(74_000).hex()
    return make_odt(f"{'<text:p>a</text:p>' * (size // 19)}<!--{noise}-->")


def different_twins() -> bytes:
    """Mail whose plain text and HTML have the same words in other orders, so that they are hard to compare."""
    words = [f"w{number}" for number in range(4_000)] * 3
    bodies = [random.Random(seed).sample(words, len(words)) for seed in (1, 2)]
    parts = zip(("plain", "html"), bodies, strict=True)
    shown = "".join(f"--x\nContent-Type: text/{kind}\n\n{' '.join(body)}\n" for kind, body in parts)
    head = "From: a@example.org\nMessage-ID: <1@example.org>\nMIME-Version: 1.0\n"
    return f"{head}Content-Type: multipart/alternative; boundary=x\n\n{shown}--x--\n".encode()


def nested_mail() -> bytes:
    """Parts within parts, thousands deep."""
    head = b"From: a@example.org\nMessage-ID: <1@example.org>\nMIME-Version: 1.0\n"
    return head + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000))


def deep_html() -> bytes:
    """Elements that are opened and never closed, and as many ends of others."""
    return b"<html><body>" + b"<code>" * 15_000 + b"</kbd>" * 15_000 + b"a</body></html>"


def nested_markdown() -> bytes:
    return b"# Quotes\n\n" + b">" * 60_000 + b" a `b`\n"


def bracketed_markdown() -> bytes:
    return b"# Brackets\n\n" + b"[a](" * 12_000 + b"*a_b" * 12_000


def bomb_of_streams() -> bytes:
    """A PDF whose one page unpacks to 200 MB of drawing."""
    stream = zlib.compress(b"(a) Tj " * 30_000_000, 9)
    content = make_pdf([[(72, 700, "a")]])
    start, end = content.index(b"<< /Length"), content.index(b"endstream")
    head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(stream)
    return content[:start] + head + stream + b"\n" + content[end:]


FILES: dict[str, Callable[[], bytes]] = {
    "word.pdf": long_word_pdf,
    "streams.pdf": bomb_of_streams,
    "deep.docx": deep_docx,
    "deep.odt": deep_odt,
    "near.odt": lambda: deep_odt(DEEPEST // 18),  # nearly too much, so that it is read and cut into sentences
    "twins.eml": different_twins,
    "nested.eml": nested_mail,
    "open.html": deep_html,
    "quotes.md": nested_markdown,
    "brackets.md": bracketed_markdown,
}


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_end_soon(name: str, tmp_path: Path) -> None:
    """Within ten seconds of a processor and 500 MB, by the process that asked and the one that read together."""
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    assert opened(path).startswith(("read", "refused"))


def test_the_long_word_is_read(tmp_path: Path) -> None:
    """The word of 60,000 letters is no reason to refuse: the file is small, and its text is a word."""
    (tmp_path / "word.pdf").write_bytes(long_word_pdf())
    assert opened(tmp_path / "word.pdf") == "read 1"


FAILING_TESSERACT = """
import sys
sys.stdin.buffer.read()
sys.exit("this page should not have come")
"""
GREEDY_TESSERACT = """
import sys
sys.stdin.buffer.read()
held = [bytearray(50_000_000) for _ in range(40)]
"""


def test_blank_pages_cost_nothing(tmp_path: Path) -> None:
    """200 pages with nothing on them are not given to Tesseract, which would take two seconds for each, twice."""
    pytest.importorskip("pypdfium2", reason="pypdfium2 draws the pages")
    (tmp_path / "blank.pdf").write_bytes(make_pdf([[]] * 200))
    assert opened(tmp_path / "blank.pdf", tesseract=FAILING_TESSERACT) == "read 0"


def jpeg(width: int, height: int) -> bytes:
    """A picture of a few hundred bytes that claims any size."""
    tables = b"\xff\xdb\x00\x43\x00" + b"\1" * 64
    frame = b"\xff\xc0" + struct.pack(">HBHHB3B", 11, 8, height, width, 1, 1, 0x11, 0)
    codes = b"\xff\xc4" + struct.pack(">HB", 20, 0) + b"\0\1" + b"\0" * 14 + b"\0"
    scan = b"\xff\xda" + struct.pack(">HB5B", 8, 1, 1, 0, 0, 63, 0)
    return b"\xff\xd8" + tables + frame + codes + scan + b"\0" * 200 + b"\xff\xd9"


def tiff(width: int, height: int, *, follows: int = 0) -> bytes:
    entries = struct.pack("<HHLL", 256, 4, 1, width) + struct.pack("<HHLL", 257, 4, 1, height)
    return b"II*\0" + struct.pack("<L", 8) + struct.pack("<H", 2) + entries + struct.pack("<L", follows)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (jpeg(15_000, 15_000), "pixels"),
        (b"\xff\xd8" + jpeg(100, 100)[2:-2] + jpeg(15_000, 15_000)[2:], "pixels"),
        (tiff(15_000, 15_000), "pixels"),
        (tiff(100, 100, follows=8), "damaged"),
        (b"\xff\xd8\xff\xe0", "damaged"),
    ],
)
def test_small_files_of_large_pictures_are_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    """380 bytes that claim 225 million pixels are refused before anybody makes room for them."""
    (tmp_path / "leak.jpg").write_bytes(content)
    outcome = opened(tmp_path / "leak.jpg", tesseract=GREEDY_TESSERACT)
    assert outcome.startswith("refused")
    assert reason in outcome


def test_programs_that_the_reader_starts_have_its_limits(tmp_path: Path) -> None:
    """A picture that makes Tesseract ask for 2 GB ends it, not the machine."""
    (tmp_path / "leak.jpg").write_bytes(jpeg(100, 100))
    assert opened(tmp_path / "leak.jpg", tesseract=GREEDY_TESSERACT).startswith("refused")


def test_nothing_is_left_when_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader is ended with whatever it has started, though that only sleeps."""
    told = tmp_path / "told"
    os.mkfifo(told)  # it ends once nobody is left who could write to it
    (tmp_path / "tesseract").write_text(f"#!/bin/sh\nexec 9>{told}\necho asleep >&9\nsleep 3\necho awake >&9\n")
    (tmp_path / "tesseract").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    limits = ReadingLimits(scan_seconds=1.5, most_seconds=1.5)
    with open(os.open(told, os.O_RDONLY | os.O_NONBLOCK), "rb") as heard:  # noqa: PTH123 # a descriptor
        with pytest.raises(FormatError, match=r"too complex, as image; needed: .*LEXPRINT_READING_SECONDS"):
            open_source(jpeg(100, 100), name="leak.jpg", limits=limits)
        os.set_blocking(heard.fileno(), True)
        assert heard.read() == b"asleep\n"


def test_others_go_on_meanwhile() -> None:
    """Whoever shares the process with a reader is not held up by it: all the work is done elsewhere."""
    content = deep_docx()
    began = time.process_time()
    with pytest.raises(FormatError):
        open_source(content, name="deep.docx", limits=ReadingLimits(seconds=1.0))
    assert time.process_time() - began < 1.0


SMALL: dict[str, bytes] = {
    "page.html": b"<p>One</p>",
    "notes.md": b"# One\n",
    "memo.docx": make_docx("<w:p><w:r><w:t>One</w:t></w:r></w:p>"),
    "memo.odt": make_odt("<text:p>One</text:p>"),
    "mail.eml": b"From: a@example.org\nMessage-ID: <1@example.org>\n\nOne\n",
    "page.pdf": make_pdf([[(72, 700, "One")]]),
    "scan.jpg": jpeg(100, 100),
}


def test_commands_and_service_read_nothing_themselves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process that reads for them gives no answer, neither of them knows a word of the file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(child, "_ask", lambda request, *, seconds: (None, 0))
    with open_registry("lexprint.db") as registry:
        token, _ = create_token(registry, "tracer", scopes={"trace"})
        app = create_app(fake_engine(), registry)
        with TestClient(app, base_url="http://localhost", headers=bearer(token)) as client:
            for name, content in SMALL.items():
                Path(name).write_bytes(content)
                assert run("trace", name).is_refusal(2, "too complex"), name
                sent = client.post("/v1/files", files={"file": (name, content)})
                answer = client.post("/v1/trace", json={"file": sent.json()["id"]}) if sent.is_success else sent
                assert (answer.status_code, "too complex" in answer.text) == (422, True), name


def test_a_busy_machine_refuses_no_good_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only had to wait, longer than its limit of processor time, is read; here Tesseract waits before it answers."""
    row = "\\t".join(["5", "1", "1", "1", "1", "1", "0", "0", "9", "9", "96", "memo"])
    program = f"import sys, time\nsys.stdin.buffer.read()\ntime.sleep(1.2)\nprint('{row}')"
    (tmp_path / "tesseract").write_text(f"#!{sys.executable} -S\n{program}\n")
    (tmp_path / "tesseract").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    limits = ReadingLimits(scan_seconds=2.0)  # it is asked twice
    assert open_source(jpeg(100, 100), name="leak.jpg", limits=limits).text == "memo"


def test_the_reader_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and passwords in the environment are not handed on to the process that reads files of strangers."""
    given: dict[str, str] = {}
    real = subprocess.Popen

    def note(*arguments: object, env: dict[str, str], **options: object) -> object:
        given.update(env)
        return real(*arguments, env=env, **options)  # type: ignore[call-overload]

    monkeypatch.setenv("LEXPRINT_KEY", "secret")
    monkeypatch.setattr(subprocess, "Popen", note)
    assert open_source(b"<p>One</p>", name="page.html").text == "One"
    assert "PATH" in given
    assert not any(name.startswith("LEXPRINT_") for name in given)


class Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("true",)


@pytest.mark.parametrize("answer", [pickle.dumps(Evil()), b"", b"nonsense", pickle.dumps(open_source)[:-1]])
def test_an_answer_is_data(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a file take its reader over, it still cannot make the process that asked do anything."""
    monkeypatch.setattr(child, "_ask", lambda request, *, seconds: (answer, 0))
    monkeypatch.setattr(os, "system", lambda command: pytest.fail("the answer was run"))
    with pytest.raises(FormatError, match="cannot be read"):
        open_source(b"<p>One</p>", name="page.html")


def test_who_trusts_a_file_may_grant_more() -> None:
    """Limits are numbers in the environment, and nonsense there is refused."""
    assert default_limits({"LEXPRINT_READING_MEGABYTES": "4000"}).megabytes == 4000
    for value in ("soon", "-1", "nan"):
        with pytest.raises(SettingsError, match=r"READING_SECONDS|reading"):
            default_limits({"LEXPRINT_READING_SECONDS": value})


def test_large_answers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would fill the memory of the process that asked is not sent to it."""
    monkeypatch.setattr(child, "LARGEST_ANSWER", 1_000)
    monkeypatch.setattr(child, "ANSWER_PER_BYTE", 0)
    with pytest.raises(FormatError, match="too complex"):
        open_source(b"<p>One <b>two</b></p>" * 1_000, name="page.html")


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    """A part that unpacks to far more than documents do is not unpacked."""
    with zipfile.ZipFile(tmp_path / "memo.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", " " * 70_000_000)
    assert "far too much" in opened(tmp_path / "memo.docx")
