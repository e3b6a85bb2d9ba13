"""`lexprint trace`: the verdict in the terminal, the report in files, the exit code for scripts."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from tests.cli.conftest import Run
from tests.reports.authority import Authority, serving
from tests.workflows.leaks import Issued, issue

from lexprint.coding.keys import Keyring, create_key_file
from lexprint.registry.protocol import open_registry
from lexprint.reports.signed_file import read_report, require_signer


@pytest.fixture
def issued(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Issued:
    """A registry with one document of fifty copies; `leak.txt` is the seventeenth. There is no key."""
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY", "LEXPRINT_AUTHORITY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    with open_registry("lexprint.db") as registry:
        made = issue(registry, name="memo <b>.docx")
    (folder / "leak.txt").write_text(made.copy(17))
    return made


def owned(folder: Path) -> Keyring:
    """The same registry made anew with a key, which lies beside it: what others write there is noticed."""
    keyring = create_key_file(folder / "lexprint.key")
    (folder / "lexprint.db").unlink()
    with open_registry("lexprint.db", keys=keyring) as registry:
        issue(registry, name="memo <b>.docx")
    return keyring


def test_a_named_copy(run: Run, issued: Issued) -> None:
    """Exit code 0; the verdict, the chance of error, how well it agrees, how much was read, and what it does not mean."""
    done = run("trace", "leak.txt")
    assert done.code == 0
    for part in (
        "The leak comes from copy 17",
        "Copy 17 is that of Recipient 17, issued on 2026-02-03.",
        "The chance that a copy is named wrongly is less than 1 in",
        "memo <b>.docx, version 1",
        f"{len(issued.record.sites)} of {len(issued.record.sites)} marked words can be read",
        "50 copies compared",
        "identifies a copy, not a person",
    ):
        assert part in done.text
    assert "Recipient 18" not in done.text
    assert "not signed: there is no key" in done.errors


def test_ranking_is_asked_for_by_another_name(run: Run, issued: Issued) -> None:
    """The trace says nothing of other copies; `registry rank` does, and is logged."""
    done = run("registry", "rank", "leak.txt", "--document", issued.record.id, "--json")
    assert done.code == 0
    ranking = json.loads(done.output)
    assert [one["number"] for one in ranking["copies"]][:1] == [17]
    assert (ranking["leader"], len(ranking["copies"])) == (17, 20)
    assert run("registry", "rank", "leak.txt", "--document", issued.record.id).text.endswith("run lexprint trace.\n")
    with open_registry("lexprint.db") as registry:
        assert registry.audit()[-1].event == "copies ranked"


def test_a_pipe_and_json(run: Run, issued: Issued) -> None:
    """The report itself, from standard input, with the digest of what came through."""
    content = issued.copy(17).encode()
    done = run("trace", "-", "--json", given=content)
    report = read_report(done.output)
    assert [copy.number for copy in report.accused] == [17]
    assert report.leak.digest == sha256(content).hexdigest()
    assert done.code == 0


def test_an_unrelated_text(run: Run, issued: Issued) -> None:
    """Exit code 1, and one plain sentence."""
    done = run("trace", "in.txt")
    assert done.code == 1
    assert "No registered document is like this text" in done.text
    assert "identifies a copy" not in done.text


def test_an_unmarked_text(run: Run, issued: Issued, folder: Path) -> None:
    """Exit code 1; nobody is named."""
    (folder / "master.txt").write_text(issued.record.text)
    done = run("trace", "master.txt")
    assert done.code == 1
    assert "No copy can be named" in done.text
    assert "Note: At every place" in done.text
    assert "Recipient" not in done.text


def test_reports_in_files(run: Run, issued: Issued, folder: Path) -> None:
    """A page or signed JSON by the name of the file; the signature is that of the key at hand."""
    keyring = owned(folder)
    files = [part for name in ("out.html", "out.json", "out.pdf") for part in ("--report", name)]
    done = run("trace", "leak.txt", "--key", "lexprint.key", *files)
    assert f"signed with key {keyring.newest.id}, written to out.html and out.json and out.pdf" in done.errors
    page = (folder / "out.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "memo &lt;b&gt;.docx" in page
    report = read_report((folder / "out.json").read_bytes())
    require_signer(report, [keyring.newest.public_key.fingerprint], name="out.json")
    text = "\n".join(page.extract_text() for page in PdfReader(folder / "out.pdf").pages)
    for part in ("The leak comes from copy 17", "Recipient 17", report.id, keyring.newest.public_key.fingerprint[:16]):
        assert part in text.replace("\n", " ")
    assert "say the same" not in page


def test_a_key_of_somebody_else_signs_nothing_unasked(run: Run, issued: Issued, folder: Path) -> None:
    """A key that happens to be at hand, and issued none of the copies, is left alone, and that is said."""
    keyring = create_key_file(folder / "lexprint.key")
    done = run("trace", "leak.txt", "--report", "out.json")
    assert done.code == 0
    assert f"key {keyring.newest.id}, which is at hand, issued no copy" in done.errors
    assert f"the owner's: --key FILE of key {issued.record.key_id}" in done.errors
    assert read_report((folder / "out.json").read_bytes()).signature is None
    with open_registry("lexprint.db") as registry:
        assert {entry.key_id for entry in registry.audit()} == {""}


def test_a_document_by_its_name(run: Run, issued: Issued) -> None:
    """As `registry show` takes it."""
    for wanted in ("memo <b>.docx", issued.record.id[:8]):
        assert run("trace", "leak.txt", "--document", wanted).code == 0


def test_a_timestamp_authority(run: Run, issued: Issued, folder: Path) -> None:
    """Confirms when the report was made; nothing is kept or shown if it does not, or if there is no key."""
    authority = Authority(at=datetime(2025, 5, 1, 12, tzinfo=UTC))
    (folder / "roots.pem").write_bytes(authority.root_pem)
    (folder / "others.pem").write_bytes(Authority().root_pem)
    with serving(authority) as url:
        assert run("trace", "leak.txt", "--authority", url).is_refusal(3, "not signed")
        owned(folder)
        signed = ("trace", "leak.txt", "--key", "lexprint.key", "--authority", url)
        assert run(*signed, "--report", "out.json").code == 0
        authority.answer = b"?"
        assert run(*signed).is_refusal(1, "no timestamp")
    assert "was not verified" in run("report", "verify", "out.json").text
    assert (
        "existed by 2025-05-01 12:00:00 UTC" in run("report", "verify", "out.json", "--certificates", "roots.pem").text
    )
    assert run("report", "verify", "out.json", "--certificates", "others.pem").is_refusal(1, "trusted authority")
    assert run("trace", "leak.txt", "--key", "lexprint.key", "--report", "plain.json").code == 0
    assert run("report", "verify", "plain.json", "--certificates", "roots.pem").is_refusal(1, "no timestamp")
    with open_registry("lexprint.db") as registry:
        assert len(registry.reports()) == 2


def test_other_formats(run: Run, issued: Issued, folder: Path) -> None:
    """A leak need not be plain text; its digest is the file's."""
    content = f"<html><body><p>{issued.copy(17)}</p></body></html>".encode()
    (folder / "leak.html").write_bytes(content)
    report = read_report(run("trace", "leak.html", "--json").output)
    assert [copy.number for copy in report.accused] == [17]
    assert report.leak.digest == sha256(content).hexdigest()


def test_options(run: Run, issued: Issued, folder: Path) -> None:
    """The document by its id, a stricter bound, another place for the registry."""
    assert run("trace", "leak.txt", "--document", issued.record.id, "--error-bound", "1e-9").code == 0
    assert run("trace", "leak.txt", "--error-bound", "1e-60").code == 1
    (folder / "lexprint.db").rename(folder / "other.db")
    assert run("trace", "leak.txt", "--registry", "other.db").code == 0
    assert run("trace", "leak.txt").is_refusal(1, "lexprint.db")


def test_bad_input_is_one_sentence(run: Run, issued: Issued, folder: Path) -> None:
    """Nothing is traced that could not be reported."""
    assert run("trace", "none.txt").is_refusal(2, "not there")
    assert run("trace", "-", given=b" \n").is_refusal(2, "empty")
    assert run("trace", "leak.txt", "--report", "out.doc").is_refusal(2, ".html, .json or .pdf")
    assert run("trace", "leak.txt", "--report", "none/out.html").is_refusal(2, "does not exist")
    assert run("trace", "leak.txt", "--error-bound", "1.5").is_refusal(2, "error_bound")
    assert run("trace", "leak.txt", "--profile", "thin").is_refusal(2, "thin")
    assert run("trace", "leak.txt", "--document", "f" * 16).is_refusal(1, "not registered")
    assert run("trace", "leak.txt", "--key", "none.key").is_refusal(3, "none.key")
    with open_registry("lexprint.db") as registry:
        assert registry.reports() == []


def test_no_model_is_loaded(run: Run, issued: Issued, folder: Path) -> None:
    """Tracing registered copies needs neither a language model nor what runs one."""
    program = (
        "import sys\n"
        "from lexprint.cli import main\n"
        "sys.argv = ['lexprint', 'trace', 'leak.txt', '--report', 'out.html', '--json']\n"
        "try:\n    main()\n"
        "except SystemExit as stop:\n    assert not stop.code, stop.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    finished = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, check=True)
    assert json.loads(finished.stdout)["report"]["verdict"] == "one copy"
    loaded = {name.partition(".")[0] for name in finished.stderr.decode().split()}
    assert "sqlalchemy" in loaded
    assert not loaded & {"onnxruntime", "onnx", "tokenizers", "torch", "transformers", "scipy", "matplotlib"}


def test_registry_and_report_count_words_alike(run: Run, issued: Issued, folder: Path) -> None:
    """A copy that nobody touched has as many words in the report as its document has in the registry and in its own report."""
    report = json.loads(run("trace", "leak.txt", "--json").output)["report"]
    (listed,) = json.loads(run("registry", "list", "--json").output)
    assert report["leak"]["words"] == listed["words"] > 500


@pytest.mark.parametrize(("before", "most"), [(0, 2), (4, 2), (0, 4)])
def test_as_many_marked_words_as_are_said_to_be_needed_suffice(
    run: Run, issued: Issued, folder: Path, before: int, most: int
) -> None:
    """A part with too few says how many there should be; one with just as many names the copy, and one with fewer does not.

    So many leaks were traced `before`: each new one has less of the error bound. Where up to `most` words may stand, each tells more.
    """

    def traced(count: int) -> dict[str, Any]:
        (folder / "fresh.db").unlink(missing_ok=True)
        with open_registry("fresh.db") as registry:
            made = issue(registry, name="memo", most=most)
        for number in range(1, before + 1):
            (folder / "earlier.txt").write_text(made.copy(number))
            assert run("trace", "earlier.txt", "--registry", "fresh.db").code == 0
        end = made.record.sites[count].span.start
        (folder / "part.txt").write_text(made.copy(17)[:end].rsplit(" ", 1)[0])
        report: dict[str, Any] = json.loads(run("trace", "part.txt", "--registry", "fresh.db", "--json").output)[
            "report"
        ]
        return report

    few = traced(15)
    (note,) = [one for one in few["notes"] if "are needed" in one]
    said = re.search(r"about (\d+) are needed", note)
    assert said is not None
    least = int(said[1])
    assert few["readable"] < least
    assert [one["number"] for one in traced(least + 2)["accused"]] == [17]
    assert traced(least - 4)["accused"] == []
