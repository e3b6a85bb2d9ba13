"""Damaged files for every opener, for as long as you like: each must be read, or refused with an error of our own.

    python -m benchmarks.fuzz --seconds 600 --openers text,html,markdown,docx,pdf,image

Files that the tests' generators make are damaged at random, and what is still read is damaged further. A process of its
own opens each, edits some words and opens the result; another watches it: whatever takes more than 10 s of the processor
or more than 1 GB is a failure, as is any error that is not the project's own. Inputs that fail are kept in `--output`.
The exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter
from tests.formats.corpus import (
    HTML_PAGE,
    MARKDOWN_PAGE,
    TEXT_PAGE,
    make_docx,
    make_pdf,
    make_zip,
    paragraph_xml,
    rich_docx,
    text_box_xml,
)

from lexprint.errors import LexprintError
from lexprint.formats import pdf_text
from lexprint.formats.reading import read_as
from lexprint.formats.recognition import recognise
from lexprint.formats.source import Source
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import may_be_swapped, segment

LONGEST_SECONDS = 10.0  # for one file, of the processor's time, as others may be using it too
LONGEST_WAIT_SECONDS = 120.0  # for one file, by the clock
MOST_MEMORY = 1 << 30  # bytes, of the process or of one that it starts
HARD_LIMIT = 6 << 30  # bytes of address space, so that a failure does not take the machine along
LARGEST = 100_000  # bytes of a damaged file: so little can take long only if something is wrong
POOL = 400  # damaged files that are damaged further
WORDS = ("big", "house", "walked", "unbelievably", "so")

SIGNS: dict[str, tuple[bytes, ...]] = {
    "text": (b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"\r", b"\xed\xa0\x80", b"# ", b"<p>", b"\xe2\x80\xa8", b"www."),
    "html": (
        *(b"<!--", b"-->", b"<script>", b"</script>", b"<![CDATA[", b"]]>", b"&#x", b"&ncong", b"&#1114112;", b"<"),
        *(b">", b"\xff", b"\0", b"'", b'"', b"<svg>", b"</", b"<p ", b"<pre>", b"<meta charset=", b"<?xml ", b"="),
        *(b"<plaintext>", b"<textarea>", b"<title>", b"<math>", b"</p>", b"<b>" * 50, b"&", b";", b"\xe2\x80\x8b"),
    ),
    "markdown": (
        *(b"```", b"~~~", b"[", b"](", b"\n---\n", b"|", b"\n> ", b"\n    ", b"\\", b"\xff", b"\r", b"<b", b"$"),
        *(b"&#0;", b"&amp", b"\n- ", b"\n1. ", b"\t", b"**", b"_", b"`", b"![", b"[x]: y\n", b"> " * 60, b"- " * 60),
        *(b"|-|-|\n", b"<!--", b"<div>\n", b"\n===\n", b"\xe2\x80\xa9", b"\0", b"[" * 60, b"*" * 60),
    ),
    "docx": (
        *(
            b"<w:t>",
            b"</w:t>",
            b"<w:p>",
            b"</w:p>",
            b"<w:r>",
            b"</w:r>",
            b"<!DOCTYPE a>",
            b"<![CDATA[",
            b"]]>",
            b"&#0;",
        ),
        *(b"&#108;", b"\xff", b"<mc:Choice>", b"<w:tab/>", b"<w:br/>", b"<w:del>", b"<w:sdt>", b"<!-- -->", b"<?a?>"),
        *(b'<w:fldChar w:fldCharType="begin"/>', b"<w:rPr><w:b/></w:rPr>", b' xml:space="preserve"', b"\0", b"&amp;"),
        *(b"<w:txbxContent>", b"<w:vanish/>", b"<w:p>" * 600, b"\xef\xbb\xbf", b"encoding='utf-16'"),
    ),
    "pdf": (
        *(b"<<", b">>", b"[", b"]", b"1 0 R", b"2 0 R " * 9, b"stream", b"endstream", b"endobj", b"/Length 99", b"("),
        *(b"/Filter /FlateDecode", b"/Filter [/ASCIIHexDecode /FlateDecode]", b"/Kids [2 0 R]", b"/Count 999999999"),
        *(
            b"/Parent 5 0 R",
            b"/Prev 0",
            b"/Size 99999999",
            b"startxref",
            b"xref",
            b"trailer",
            b"<feff>",
            b" Tj",
            b" Tm",
        ),
        *(b"BT ", b" 1e99 0 0 1 0 0 Tm", b"/Predictor 15 /Columns 99999999", b"/Encoding /Identity-H", b"/Contents"),
        *(b"[" * 300, b"<<" * 300, b"q " * 300, b"/Rotate 90", b"/Encrypt 1 0 R", b"-1", b"0"),
    ),
    "image": (
        b"IHDR",
        b"IDAT",
        b"IEND",
        b"\xff\xd8",
        b"\xff\xda",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"II*\0",
        b"\x7f\xff",
    ),
}
NAMES = {
    "text": "file.txt",
    "html": "file.html",
    "markdown": "file.md",
    "docx": "file.docx",
    "pdf": "file.pdf",
    "image": "file.png",
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0, help="for each opener")
    parser.add_argument("--openers", default=",".join(NAMES))
    parser.add_argument("--output", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", metavar="OPENER", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        _work(options.work, seed=options.seed)
        return
    openers = options.openers.split(",")
    if unknown := set(openers) - set(NAMES):
        raise SystemExit(f"unknown openers: {', '.join(sorted(unknown))}; known are {', '.join(NAMES)}")
    failures = sum(_fuzz(opener, options.seconds, options.output, seed=options.seed) for opener in openers)
    raise SystemExit(1 if failures else 0)


def _fuzz(opener: str, seconds: float, output: Path, *, seed: int) -> int:
    """Watch workers until the time is up; returns how many files failed."""
    outcomes: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    began, slowest = time.monotonic(), 0.0
    while time.monotonic() < began + seconds:
        worker = _Worker(opener, seed=seed)
        seed += 1_000_003
        while time.monotonic() < began + seconds:
            asked = time.monotonic()
            answer = worker.next_answer()
            slowest = max(slowest, time.monotonic() - asked)
            if "failure" not in answer:
                outcomes[answer["outcome"]] += 1
                continue
            failures[answer["failure"]] += 1
            if failures[answer["failure"]] <= 5:
                output.mkdir(parents=True, exist_ok=True)
                name = f"{opener}-{zlib.crc32(answer['failure'].encode()):08x}-{failures[answer['failure']]}"
                (output / name).write_bytes(bytes.fromhex(answer["content"]))
                (output / f"{name}.log").write_text(answer["failure"] + "\n" + answer.get("traceback", ""), "utf-8")
                print(f"{opener}: {answer['failure']} ({output / name})", flush=True)
            break  # the next worker has its memory back
        worker.end()
    passed = sum(outcomes.values())
    shares = ", ".join(f"{name} {count:,}" for name, count in outcomes.most_common())
    print(
        f"{opener}: {passed + sum(failures.values()):,} files in {time.monotonic() - began:.0f} s, "
        f"slowest {slowest:.1f} s; {shares}; failures {sum(failures.values()):,}",
        flush=True,
    )
    return sum(failures.values())


class _Worker:
    """A process that opens one file after the other and tells about each."""

    def __init__(self, opener: str, *, seed: int) -> None:
        command = [sys.executable, "-m", "benchmarks.fuzz", "--work", opener, "--seed", str(seed)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        self._lines: Queue[bytes] = Queue()
        Thread(target=self._listen, daemon=True).start()
        self._lines.get()  # it is ready

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def next_answer(self) -> dict[str, str]:
        """First comes the file, so that it is known if nothing comes after it."""
        content = json.loads(self._lines.get())
        began, used = time.monotonic(), self._processor_seconds()
        while True:
            with suppress(Empty):
                line = self._lines.get(timeout=0.5)
                return {**content, **(json.loads(line) if line.endswith(b"\n") else {"failure": "its process ended"})}
            if self._processor_seconds() - used > LONGEST_SECONDS:
                return {**content, "failure": f"more than {LONGEST_SECONDS:g} s"}
            if time.monotonic() - began > LONGEST_WAIT_SECONDS:
                return {**content, "failure": f"nothing for {LONGEST_WAIT_SECONDS:g} s"}

    def _processor_seconds(self) -> float:
        """Of the worker and of whatever it has started."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError, IndexError, ValueError):
                fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(fields[3]) == self._process.pid:  # its session
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _kill(self) -> None:
        """With whatever it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        self._kill()
        self._process.wait()


def _work(opener: str, *, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (HARD_LIMIT, HARD_LIMIT))
    if opener == "pdf":
        pdf_text.recognise = lambda content, *, name: ""  # pages are drawn; reading them is what images are for
    draw = random.Random(seed)
    pool = seeds(opener)
    _tell({"outcome": "ready"})
    first = len(pool)
    while True:
        content = damaged(draw, draw.choice(pool), opener)
        _tell({"content": content.hex()})
        try:
            outcome = check(draw, content, NAMES[opener] if draw.random() < 0.8 else "file")
        except Exception as error:  # noqa: BLE001 (that is what is looked for)
            where = traceback.extract_tb(error.__traceback__)[-1]
            failure = f"{type(error).__name__} in {Path(where.filename).name}, {where.name}"
            _tell({"failure": failure, "traceback": traceback.format_exc()})
            continue
        used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        if used * 1024 > MOST_MEMORY:
            _tell({"failure": "more than 1 GB of memory"})
            continue
        _tell({"outcome": outcome})
        if outcome != "refused":
            if len(pool) < POOL:
                pool.append(content)
            else:
                pool[draw.randrange(first, POOL)] = content


def _tell(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def check(draw: random.Random, content: bytes, name: str) -> str:
    """Open a file, edit some of its words and open the result; anything but an error of ours is raised."""
    try:
        source = _read(content, name)
        text, protected = source.text, source.protected
        assert all(span.end <= len(text) for span in protected), "a protected part lies outside the text"
        if not source.is_writable:
            return "read"
        assert source.with_edits([]) == content, "a file without edits is not the same"
        free = [
            word.span
            for word in segment(text).words
            if may_be_swapped(word.span.of(text)) and not any(span.overlaps(word.span) for span in protected)
        ]
        chosen = sorted(draw.sample(free, min(len(free), draw.randrange(6))))
        edits = [Edit(span, draw.choice(WORDS)) for span in chosen]
        edited = source.with_edits(edits)
    except LexprintError:
        return "refused"
    return "edited" if _read(edited, name).text == apply_edits(text, edits) else "edited, reads otherwise"


def _read(content: bytes, name: str) -> Source:
    """In this process, which is one that may be killed: a child for each file would take ten times as long."""
    kind = recognise(content, name=name)
    return read_as(kind, content, name=name) or read_as("scanned PDF", content, name=name)  # type: ignore[return-value]


def seeds(opener: str) -> list[bytes]:
    """Sound files to begin with."""
    makers: dict[str, Callable[[], list[bytes]]] = {
        "text": lambda: [
            TEXT_PAGE.encode(code) for code in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252")
        ],
        "html": lambda: [
            HTML_PAGE.encode(),
            HTML_PAGE.encode("utf-16"),
            b"<?xml version='1.0'?>\n" + HTML_PAGE.encode(),
        ],
        "markdown": lambda: [MARKDOWN_PAGE.encode(), MARKDOWN_PAGE.replace("\n", "\r\n").encode()],
        "docx": _documents,
        "pdf": _portable_documents,
        "image": _pictures,
    }
    return makers[opener]()


def _documents() -> list[bytes]:
    box = text_box_xml(paragraph_xml("A large box"), paragraph_xml("A la", "rge box"))
    body = paragraph_xml("A lar", "ge house near the river") * 3 + f"<w:p>{box}</w:p>"
    return [rich_docx(), make_docx(body), make_docx(body, encoding="utf-16")]


def _portable_documents() -> list[bytes]:
    lines = [(72.0, 700.0 - 12 * number, f"line {number} of the large house") for number in range(12)]
    plain = make_pdf([lines, [(72, 700, "Second (page)"), (320, 700, "beside it")]])
    written: list[bytes] = []
    for password in (None, ""):
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(plain)))
        for page in writer.pages:
            page.compress_content_streams()
        if password is not None:
            writer.encrypt(password, "owner", algorithm="RC4-128")
        target = io.BytesIO()
        writer.write(target)
        written.append(target.getvalue())
    scan = io.BytesIO()
    _picture().save(scan, "PDF", resolution=100.0)
    return [plain, plain, *written, scan.getvalue()]


def _pictures() -> list[bytes]:
    found = []
    for kind, options in (("PNG", {}), ("JPEG", {}), ("TIFF", {}), ("TIFF", {"compression": "tiff_lzw"})):
        target = io.BytesIO()
        _picture().save(target, kind, **options)
        found.append(target.getvalue())
    return found


def _picture() -> Image.Image:
    image = Image.new("L", (420, 60), 255)
    ImageDraw.Draw(image).text((8, 12), "The large house is almost ready.", fill=0, font=ImageFont.load_default(24))
    return image


def damaged(draw: random.Random, content: bytes, opener: str) -> bytes:
    """A file with something wrong in it: often inside its packing, which damage to the file seldom gets through."""
    signs = SIGNS[opener]
    if opener == "docx" and draw.random() < 0.75:
        return _in_package(draw, content, signs)
    if opener == "docx":
        signs = (b"PK\1\2", b"PK\5\6", b"PK\3\4", b"\xff\xff\xff\xff", b"\0\0")
    broken = _bytes_changed(draw, content, signs)
    return _checked_png(broken) if broken.startswith(b"\x89PNG") and draw.random() < 0.7 else broken


def _in_package(draw: random.Random, content: bytes, signs: Sequence[bytes]) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return _bytes_changed(draw, content, signs)
    likely = [name for name in members if name.endswith("document.xml")] if draw.random() < 0.7 else list(members)
    name = draw.choice(likely or list(members) or ["word/document.xml"])
    members[name] = _bytes_changed(draw, members.get(name, b""), signs)
    return make_zip(members)


def _bytes_changed(draw: random.Random, content: bytes, signs: Sequence[bytes]) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 6])):
        start = draw.randint(0, len(changed))
        length = draw.choice([0, 1, 1, 2, 4, 20, 300])
        kind = draw.choice(["cut", "end", "noise", "sign", "sign", "double", "flip", "number", "swap", "many"])
        if kind == "cut":
            del changed[start : start + length]
        elif kind == "end" and draw.random() < 0.3:
            del changed[max(start, len(changed) // 2) :]
        elif kind == "noise":
            changed[start : start + length] = draw.randbytes(draw.randint(0, 8))
        elif kind == "sign":
            changed[start:start] = draw.choice(signs)
        elif kind == "double":
            changed[start:start] = changed[start : start + length]
        elif kind == "flip" and start < len(changed):
            changed[start] ^= 1 << draw.randrange(8)
        elif kind == "number":
            changed[start : start + length] = str(draw.choice([0, -1, 1, 65536, 2**31, 2**63, 10**30])).encode()
        elif kind == "swap":
            other = draw.randint(0, len(changed))
            piece = changed[other : other + length]
            changed[start : start + length] = piece
        elif kind == "many" and draw.random() < 0.05:
            changed[start:start] = draw.choice(signs) * draw.choice([100, 3_000])
    return bytes(changed[:LARGEST])


def _checked_png(content: bytes) -> bytes:
    """With check sums that fit again, as a reader looks no further where they do not."""
    pieces, position = [content[:8]], 8
    while position + 12 <= len(content):
        length = int.from_bytes(content[position : position + 4], "big")
        if position + 12 + length > len(content):
            break
        chunk = content[position + 4 : position + 8 + length]
        pieces += [content[position : position + 4], chunk, zlib.crc32(chunk).to_bytes(4, "big")]
        position += 12 + length
    return b"".join([*pieces, content[position:]])


if __name__ == "__main__":
    main()
