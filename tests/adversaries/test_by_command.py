"""The worst of the attacks once more, each with nothing but commands, as whoever tried them would."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.adversaries.test_look_alikes import ALPHABETS, LATIN
from tests.cli.conftest import Done, Run

from lexprint.testing import fake_text

UNKNOWN = "Not one of the copies recorded here"


@pytest.fixture
def office(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """With a key and a memo."""
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert run("key", "new").code == 0
    Path("memo.txt").write_text(fake_text(words=400, seed=21))
    return run


def issue(run: Run, registry: str, people: Sequence[str], *, name: str = "memo") -> Path:
    """The folder with their copies."""
    Path("people.csv").write_text("name\n" + "\n".join(people) + "\n")
    folder = f"{registry}-{name}"
    options = ("--to", "people.csv", "--out", folder, "--registry", registry, "--name", name, "--force")
    done = run("issue", "memo.txt", *options)
    assert done.code == 0, done.errors
    return Path(folder)


def traced(run: Run, leak: Path, registry: str) -> tuple[int, str]:
    done: Done = run("trace", leak, "--registry", registry)
    return done.code, " ".join(done.text.split())


def copy_of(folder: Path, person: str) -> Path:
    (found,) = folder.glob(f"*-{person}.txt")
    return found


def test_two_registries_and_a_restored_one(office: Run) -> None:
    """The same key and memo in two registries, and a backup put back before Emil's copy was issued: nobody is taken for another."""
    ours = issue(office, "a.db", ["Ada", "Bruno"])
    issue(office, "b.db", ["Xavier", "Yara"])
    code, said = traced(office, copy_of(ours, "Ada"), "b.db")
    assert (code, UNKNOWN in said, "Xavier" in said) == (1, True, False)
    shutil.copy("a.db", "backup.db")
    dora = copy_of(issue(office, "a.db", ["Ada", "Bruno", "Dora"]), "Dora")
    shutil.copy("backup.db", "a.db")
    dora.rename("dora.txt")
    emil = copy_of(issue(office, "a.db", ["Ada", "Bruno", "Emil"]), "Emil")
    code, said = traced(office, Path("dora.txt"), "a.db")
    assert (code, UNKNOWN in said, "Emil" in said) == (1, True, False)
    code, said = traced(office, emil, "a.db")
    assert (code, "is that of Emil" in said) == (0, True)
    assert office("registry", "verify", "--registry", "a.db").code == 0


def test_decoys_and_look_alikes(office: Run) -> None:
    """Ada's memo under nine names, and her copy with every letter exchanged for one that looks the same: she is named."""
    ada = copy_of(issue(office, "a.db", ["Ada", "Bruno"]), "Ada")
    for number in range(8):
        issue(office, "a.db", ["Decoy"], name=f"decoy-{number}")
    code, said = traced(office, ada, "a.db")
    assert (code, "is that of Ada" in said) == (0, True)
    disguised = ada.read_text().lower().translate(str.maketrans(LATIN, ALPHABETS["Cyrillic and neighbours"]))
    Path("disguised.txt").write_text(disguised)
    code, said = traced(office, Path("disguised.txt"), "a.db")
    assert (code, "is that of Ada" in said) == (0, True)
