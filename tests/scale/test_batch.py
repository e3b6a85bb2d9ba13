"""A corpus becomes the same bytes in every way, once, and whatever happens on the way."""

import json
import stat
from pathlib import Path

import pytest
from tests.scale.corpora import BITS, contents, engine, reading_engine, write_corpus

from lexprint.errors import FormatError, InputError
from lexprint.scale.batch import Report, run_folder, run_table
from lexprint.scale.pools import LocalPool
from lexprint.scale.tables import open_table
from lexprint.scale.tasks import Analysing, Embedding
from lexprint.testing import fake_text
from lexprint.watermark.records import read_record
from lexprint.workflows import embed, restore

ALONE = LocalPool(1)
TASK = Embedding(bits=BITS)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "in")


def run(corpus: Path, target: Path, *, workers: int = 1, task: Embedding | Analysing = TASK) -> Report:
    asked = reading_engine() if isinstance(task, Analysing) else engine()
    return run_folder(LocalPool(workers), asked, task, corpus, target)


def test_every_way_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    """One process, three processes, and the library on its own agree; formats stay what they are."""
    reports = [run(corpus, tmp_path / f"out{workers}", workers=workers) for workers in (1, 3)]
    assert contents(tmp_path / "out1") == contents(tmp_path / "out3")
    assert reports[0] == reports[1]
    assert set(contents(tmp_path / "out1")) == set(contents(corpus)) - {"broken.docx"}
    text = (corpus / "2.txt").read_text()
    assert (tmp_path / "out1" / "2.txt").read_text() == embed(engine(), text, BITS).text
    assert (tmp_path / "out1" / "deep" / "page.html").read_bytes().endswith(b"<p>One&nbsp;more.</p>")


def test_failures_are_told_and_stop_nothing(corpus: Path, tmp_path: Path) -> None:
    """Files that cannot be read or are too short are named, with the reason."""
    (corpus / "short.txt").write_text("Too short.")
    report = run(corpus, tmp_path / "out")
    assert [(failure.name, failure.kind) for failure in report.failures] == [
        ("broken.docx", "FormatError"),
        ("short.txt", "CapacityError"),
    ]
    assert (report.done, report.skipped) == (7, 0)
    assert report.as_json()["failed"] == 2


def test_a_second_run_does_what_is_left(corpus: Path, tmp_path: Path) -> None:
    """What is done and unchanged is skipped; what was changed, removed or failed is done again."""
    out = tmp_path / "out"
    run(corpus, out)
    first = contents(out)
    again = run(corpus, out)
    assert (again.done, again.skipped, len(again.failures)) == (0, 7, 1)
    (out / "0.txt").unlink()
    (out / "1.txt").write_text("somebody changed it")
    (corpus / "2.txt").write_text(fake_text(words=120, seed=77))
    (corpus / "broken.docx").unlink()
    third = run(corpus, out)
    assert third.skipped == 4
    assert [failure.name for failure in third.failures] == ["1.txt"], "a foreign file is not overwritten"
    now = contents(out)
    assert now["0.txt"] == first["0.txt"]
    assert now["1.txt"] == b"somebody changed it"
    assert now["2.txt"] != first["2.txt"]
    assert run(corpus, out, task=Embedding(bits=(0, 1))).skipped == 0, "other options make other outputs"


def test_an_interrupted_run_goes_on(corpus: Path, tmp_path: Path) -> None:
    """Killed after some files, also between a file and its line in the manifest, it loses and doubles nothing."""
    run(corpus, tmp_path / "whole")
    out = tmp_path / "out"
    run(corpus, out)
    manifest = out / ".lexprint" / "manifest.jsonl"
    lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join(lines[:3]) + "\n" + lines[3][:20])
    (out / ".lexprint" / "unfinished-0123").write_text("half a fi")
    for name in ("3.txt", "4.txt"):
        (out / name).unlink()
    report = run(corpus, out, workers=2)
    assert report.skipped == 3
    assert contents(out) == contents(tmp_path / "whole")
    assert not list(out.rglob("unfinished-*"))


def test_only_one_process_writes(corpus: Path, tmp_path: Path) -> None:
    """A second run at the same time is refused."""
    out = tmp_path / "out"

    def run_too(done: int, total: int) -> None:
        run(corpus, out)

    with pytest.raises(InputError, match="another process"):
        run_folder(ALONE, engine(), TASK, corpus, out, on_items=run_too)


@pytest.mark.parametrize("target", ["in", "in/out", "."])
def test_outputs_stay_apart_from_inputs(corpus: Path, tmp_path: Path, target: str) -> None:
    """Else they would be inputs of the next run."""
    with pytest.raises(InputError, match="in each other"):
        run(corpus, tmp_path / target)


def test_a_folder_without_files(tmp_path: Path) -> None:
    """Is told, and so is one that is not there."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none"):
        with pytest.raises(FormatError, match=name):
            run(tmp_path / name, tmp_path / "out")


def test_records_restore_the_originals(corpus: Path, tmp_path: Path) -> None:
    """With records every marked file leads back to its original; they are no more open than it was."""
    (corpus / "1.txt").chmod(0o600)
    task = Embedding(bits=BITS, with_records=True)
    run_folder(ALONE, engine(), task, corpus, tmp_path / "out", records=tmp_path / "records")
    record = tmp_path / "records" / "1.txt.json"
    marked = tmp_path / "out" / "1.txt"
    assert (
        restore(marked.read_text(), read_record(json.loads(record.read_bytes()))).text == (corpus / "1.txt").read_text()
    )
    assert [stat.S_IMODE(path.stat().st_mode) for path in (record, marked)] == [0o600, 0o600]


def test_analyses_are_files_of_json(corpus: Path, tmp_path: Path) -> None:
    """One for each document, the same from any process; and equal tasks are equal in any process."""
    for workers in (1, 2):
        run(corpus, tmp_path / f"out{workers}", workers=workers, task=Analysing())
    assert contents(tmp_path / "out1") == contents(tmp_path / "out2")
    assert set(json.loads((tmp_path / "out1" / "0.txt.json").read_bytes())) >= {"sites", "words", "fingerprint"}
    assert repr(Analysing()) == repr(Analysing(protections=tuple(sorted(Analysing().protections))))


ROWS = Embedding(bits=(1,))


def rows(count: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [
        {"id": number, "text": fake_text(words=60, seed=number), "é": None} for number in range(count)
    ]
    found[5]["text"] = "Too short."
    return found


def write_table(path: Path, count: int = 40) -> Path:
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows(count)), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(count)) + "\n")
    return path


def read_table(path: Path) -> list[dict[str, object]]:
    if path.suffix == ".parquet":
        import pyarrow.parquet

        found: list[dict[str, object]] = pyarrow.parquet.read_table(path).to_pylist()
        return found
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_tables_keep_their_rows(tmp_path: Path, ending: str) -> None:
    """Texts are marked as the library marks them, other columns stay, rows that fail are left out and named."""
    source = write_table(tmp_path / f"in{ending}")
    reports = [
        run_table(LocalPool(workers), engine(), ROWS, open_table(source), tmp_path / f"out{workers}{ending}")
        for workers in (1, 2)
    ]
    assert (tmp_path / f"out1{ending}").read_bytes() == (tmp_path / f"out2{ending}").read_bytes()
    assert [failure.name for failure in reports[0].failures] == ["line 6" if ending == ".jsonl" else "row 6"]
    kept = [row for row in rows(40) if row["id"] != 5]
    expected = [row | {"text": embed(engine(), str(row["text"]), ROWS.bits or ()).text} for row in kept]
    assert read_table(tmp_path / f"out1{ending}") == expected


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_tables_are_analysed(tmp_path: Path, ending: str) -> None:
    """A column more; a table without failures leaves no parts behind and is not done twice."""
    source = write_table(tmp_path / f"in{ending}", count=6)
    target = tmp_path / f"out{ending}"
    report = run_table(ALONE, reading_engine(), Analysing(), open_table(source), target)
    assert (report.done, report.failures) == (6, ())
    assert list(read_table(target)[0]) == ["id", "text", "é", "analysis"]
    assert not list(tmp_path.rglob("part-*"))
    assert run_table(ALONE, reading_engine(), Analysing(), open_table(source), target).skipped == 6


def test_an_interrupted_table_goes_on(tmp_path: Path) -> None:
    """Parts that are whole are used, others and those with failures are done again, and the table is the same."""
    source = write_table(tmp_path / "in.jsonl")
    run_table(ALONE, engine(), ROWS, open_table(source), tmp_path / "whole.jsonl")
    target = tmp_path / "out.jsonl"
    run_table(ALONE, engine(), ROWS, open_table(source), target)
    target.unlink()
    (tmp_path / ".out.jsonl.lexprint" / "part-00000002.json").write_text("[]")
    report = run_table(ALONE, engine(), ROWS, open_table(source), target)
    assert (report.skipped, report.done, len(report.failures)) == (16, 23, 1)
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_lines_that_are_no_rows(tmp_path: Path) -> None:
    """Damaged lines, other JSON and missing texts fail one by one."""
    source = tmp_path / "in.jsonl"
    good = json.dumps({"text": fake_text(words=60, seed=1)})
    source.write_bytes(b'{"text": "cut\n[1]\n{}\n{"text": 5}\n\xff\n' + good.encode())
    report = run_table(ALONE, engine(), ROWS, open_table(source), tmp_path / "out.jsonl")
    assert (report.done, len(report.failures)) == (1, 5)


def test_tables_that_would_be_overwritten(tmp_path: Path) -> None:
    """Neither the input nor somebody's file is."""
    source = write_table(tmp_path / "in.jsonl", count=6)
    with pytest.raises(InputError, match="overwritten"):
        run_table(ALONE, engine(), ROWS, open_table(source), source)
    (tmp_path / "precious.jsonl").write_text("{}")
    with pytest.raises(InputError, match="different content"):
        run_table(ALONE, engine(), ROWS, open_table(source), tmp_path / "precious.jsonl")
