"""`lexprint watch`."""

import json
import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from lexprint.registry.protocol import open_registry

ROOT = Path(__file__).parent.parent.parent
WATCH = ("watch", "in", "out", "--to", "people.csv", "--once", "--settled", "0", "--every", "0.05")


@pytest.fixture
def office(folder_with_key: Path, prose: str) -> Path:
    """A folder with a document, recipients and a key."""
    folder = folder_with_key
    (folder / "people.csv").write_text("recipient,team\nAda,x\nBo,y\nCy,z\n")
    (folder / "in").mkdir()
    (folder / "in" / "memo.txt").write_text(prose)
    return folder


def test_documents_are_issued_and_bad_files_named(run: Run, office: Path) -> None:
    """Copies in a folder for each document; what was refused is named with its reason, and the exit code says so."""
    (office / "in" / "broken.docx").write_bytes(b"PK\x03\x04 no Word document")
    (office / "in" / "short.txt").write_text("Too short.\n")
    done = run(*WATCH)
    assert done.code == 1, done.errors
    assert "3 copies of memo in out" in done.errors
    assert "broken.docx was not issued" in done.errors
    assert "short.txt was not issued" in done.errors
    (out,) = (office / "out").iterdir()
    assert len(list(out.glob("memo-000?-*.txt"))) == 3
    assert (office / "in" / "issued" / "memo.txt").is_file()
    assert sorted(path.name for path in (office / "in" / "refused").iterdir()) == [
        "broken.docx",
        "broken.docx.reason.txt",
        "short.txt",
        "short.txt.reason.txt",
    ]
    again = run(*WATCH)
    assert (again.code, again.errors) == (0, ""), "nothing is left"


def test_wrong_requests_are_refused(run: Run, office: Path) -> None:
    """Before anything is touched."""
    assert run("watch", "in", "in", *WATCH[3:]).is_refusal(2, "issued again")
    assert run("watch", "in", "out", "--to", "nobody.csv").is_refusal(2, "nobody.csv")
    (office / "people.csv").write_text("Employee,Team\nAda,x\n")
    assert run(*WATCH).is_refusal(2, "no known header")
    assert [path.name for path in (office / "in").iterdir()] == ["memo.txt"]


def test_a_killed_watch_goes_on(office: Path) -> None:
    """SIGKILL when copies are planned, when their files are written, when they are issued: three copies, no more."""
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "LEXPRINT_SUBSTITUTION_PROPOSALS": "8",
    }
    for moment in ("planned", "written", "issued", "never"):
        command = [sys.executable, "-m", "tests.cli.killable", moment, *WATCH]
        ended = subprocess.run(command, cwd=office, env=environment, capture_output=True, check=False)
        assert ended.returncode == (0 if moment == "never" else -signal.SIGKILL), ended.stderr
    (out,) = (office / "out").iterdir()
    with open_registry(str(office / "lexprint.db")) as registry:
        (document,) = registry.documents()
        copies = registry.copies(document.id)
        assert registry.verify_audit() is None
    assert [copy.recipient for copy in copies] == ["Ada", "Bo", "Cy"]
    for copy in copies:
        assert sha256((out / copy.file_name).read_bytes()).hexdigest() == copy.digest
    (manifest,) = out.glob("*.json")
    assert len(json.loads(manifest.read_bytes())["copies"]) == 3
    assert len(list(out.iterdir())) == 4
    assert (office / "in" / "issued" / "memo.txt").is_file()
