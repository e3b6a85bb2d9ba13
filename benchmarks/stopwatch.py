"""How long somebody waits at the page: for the first word, for the last, and for 40 copies.

    python -m benchmarks.stopwatch [memo] [contract] [document] [--threads 0] [--text FILE ...] [--before TREE]

Each document has a service of its own, just started, with the shipped models and an empty registry: loading models counts, and
nothing is known from before. The page is opened, which has the models loaded, and the button pressed at once. The document is sent as the page sends it and followed as the page follows it. Without `--text` the documents are
sentences of `paper.txt`, each with a beginning of its own; with it, they are cut from these files, one after the other, so that no
paragraph is in two of them. `--before` asks the service of another checkout the same, in a row of its own below: one that shows no words
while it reads has its first word when all are read. "Others" are cores that were busy with other work meanwhile, on average:
the clock suffers from them, processor time hardly.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.growth import long_text
from benchmarks.service import free_port, wait_until_ready

HERE = Path(__file__).parent.parent
WORDS = {"memo": 1_200, "contract": 2_500, "document": 9_500}
RECIPIENTS = "name\n" + "".join(f"Reader {number}\n" for number in range(1, 41))
TIMEOUT_SECONDS = 7_200
COLUMNS = ("first word", "last word", "CPU", "longest silence", "40 copies", "CPU", "others")


@dataclass(frozen=True)
class Wait:
    """Seconds of one job, from the button to the end."""

    first: float  # until a word was shown
    last: float
    silence: float  # the longest time in which neither more words were counted nor something else was said to be done
    processor: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORDS))
    parser.add_argument("--text", nargs="+", type=Path, metavar="FILE", help="plain English text, 13,500 words or more")
    parser.add_argument("--before", type=Path, metavar="TREE", help="another checkout, with its own weights")
    parser.add_argument("--threads", type=int, default=0, help="of the models in the service; 0: as it is started")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(WORDS):
        parser.error(f"there is no document {', '.join(sorted(unknown))}")
    texts = documents_of([path.read_text("utf-8") for path in options.text or ()])
    columns = ["", "words", *COLUMNS]
    print(f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}")
    trees = {"": None} | ({", before": options.before} if options.before else {})
    for name in options.names or WORDS:
        for which, tree in trees.items():
            figures = measured(texts[name], threads=options.threads, tree=tree)
            print(f"| {' | '.join([name + which, f'{len(texts[name].split()):,}', *figures])} |", flush=True)


def documents_of(given: Sequence[str], words: Mapping[str, int] = WORDS) -> dict[str, str]:
    """A text for each name, of so many words or a paragraph more.

    >>> documents_of(["One two.\\n\\nThree.\\n\\nOne two.", "Four five six."], {"a": 2, "b": 4})
    {'a': 'One two.\\n', 'b': 'Three.\\n\\nFour five six.\\n'}
    """
    if not given:
        return {name: long_text(wanted) for name, wanted in words.items()}
    paragraphs = iter(dict.fromkeys(part.strip() for text in given for part in text.split("\n\n") if part.strip()))
    found: dict[str, str] = {}
    for name, wanted in words.items():
        chosen: list[str] = []
        while sum(len(paragraph.split()) for paragraph in chosen) < wanted:
            paragraph = next(paragraphs, None)
            if paragraph is None:
                raise SystemExit(
                    f"the text ends before {name}; needed: {sum(words.values()):,} words that do not repeat"
                )
            chosen.append(paragraph)
        found[name] = "\n\n".join(chosen) + "\n"
    return found


def measured(text: str, *, threads: int, tree: Path | None = None) -> Iterator[str]:
    """The cells of its row; of this checkout, unless another one is named."""
    with TemporaryDirectory() as folder, busy_others() as others, service(Path(folder), threads, tree) as (port, pid):
        open_page(port)
        analysis = wait_for(port, pid, "analyse", {"text": text})
        copies = wait_for(port, pid, "issue", {"text": text, "recipients_table": RECIPIENTS, "name": "timed"})
        others.append(processor_seconds(pid))
    yield from (f"{analysis.first:.1f} s", f"{analysis.last:.1f} s", f"{analysis.processor:.1f} s")
    yield from (f"{analysis.silence:.1f} s", f"{copies.last:.1f} s", f"{copies.processor:.1f} s", f"{others[-1]:.1f}")


@contextmanager
def service(folder: Path, threads: int, tree: Path | None = None) -> Iterator[tuple[int, int]]:
    """A fresh one; its port and process."""
    command, environment = [sys.executable, "-m", "lexprint"], _environment(tree)
    run = partial(subprocess.run, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    run([*command, "key", "new"])
    port = free_port()
    options = ["--port", str(port), "--threads", str(threads)]
    if "--no-tokens" in run([*command, "serve", "--help"]).stdout:  # those before it needed none on this machine
        options.append("--no-tokens")
    process = subprocess.Popen(
        [*command, "serve", *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_ready(port)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def open_page(port: int) -> None:
    """As a browser does."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    connection.request("GET", "/")
    connection.getresponse().read()


def wait_for(port: int, pid: int, verb: str, asked: Mapping[str, object]) -> Wait:
    """Ask for a job and look on until it is done, as the page does."""
    began, processor = time.perf_counter(), processor_seconds(pid)
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    connection.request("POST", f"/v1/{verb}", json.dumps(asked), {"Content-Type": "application/json"})
    job_id = json.load(connection.getresponse())["id"]
    first, silence, told, told_at = None, 0.0, (-1, None), began
    for job in states(port, job_id):
        now = time.perf_counter()
        if first is None and (job.get("part") or job["state"] == "done"):
            first = now - began
        said = (job["done"], job.get("doing"))
        if said != told or job["state"] == "done":
            silence, told, told_at = max(silence, now - told_at), said, now
    if job["state"] != "done" or first is None:
        raise SystemExit(f"the job ended as {job['state']}: {job.get('problem')}")
    return Wait(first, told_at - began, silence, processor_seconds(pid) - processor)


def states(port: int, job_id: str) -> Iterator[dict[str, Any]]:
    """Of a job, as the service tells them."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    connection.request("GET", f"/v1/jobs/{job_id}/events")
    for line in connection.getresponse():
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


def processor_seconds(pid: int) -> float:
    """Of a process, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def busy_others() -> Iterator[list[float]]:
    """Takes processor seconds of our own; in the end its last entry is the number of cores that others kept busy."""
    own: list[float] = []
    began, busy = time.perf_counter(), _busy_seconds()
    yield own
    own.append(max(0.0, _busy_seconds() - busy - sum(own)) / (time.perf_counter() - began))


def _busy_seconds() -> float:
    """Of all cores since the machine began: neither idle nor waiting for a disk."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def _environment(tree: Path | None) -> dict[str, str]:
    """Without answers of models that were kept, and without somebody's key and registry; with the code of this checkout or another."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXPRINT_")}
    return kept | {"PYTHONPATH": str((tree or HERE).resolve() / "src"), "COLUMNS": "200"}


if __name__ == "__main__":
    main()
