"""Somebody who can write to the database, and lacks the owner's key, wants to choose the words of copies that are yet to be issued."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.testing import fake_text
from lexprint.text.pairs import Pair
from lexprint.workflows import analysing
from lexprint.workflows.analysing import analyse_document, find_analysis
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.results import Analysis

TEXT = fake_text(words=300, seed=21)
KEYRING = Keyring((MasterKey.generate(),))
LIE = "guilty"


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "lexprint.db")


@pytest.fixture
def registry(location: str) -> Iterator[Registry]:
    with open_registry(location, keys=KEYRING) as opened:
        yield opened


def poisoned() -> Analysis:
    """What the models find, with one word of the intruder's at every site."""
    found = analyse_document(PatientEngine(), TEXT)
    paragraphs = tuple(
        replace(
            one,
            sites=tuple(
                replace(site, pair=Pair.of(site.word, LIE), further=(), figures=site.figures[:1]) for site in one.sites
            ),
        )
        for one in found.paragraphs
    )
    return Analysis(paragraphs, found.fingerprint)


def plant(location: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """As the program itself would keep it, but without the key; gives what is kept."""
    with monkeypatch.context() as patched, open_registry(location) as intruder:
        patched.setattr(analysing, "analyse_document", lambda *_, **__: poisoned())
        assert LIE in find_analysis(intruder, PatientEngine(), TEXT).sites[0].pair
        with intruder.reading() as statements:
            return bytes(statements.rows("SELECT content FROM analyses ORDER BY kept_at DESC LIMIT 1")[0]["content"])


def test_what_was_found_without_the_key_makes_no_copies(
    location: str, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner's copies hold words that the models found, though the intruder had the text and knew where to write."""
    plant(location, monkeypatch)
    content = TEXT.encode()
    master = Master(open_source(content, name="memo.txt"), "memo", sha256(content).hexdigest(), ".txt")
    issue(PatientEngine(), master, ["Ada", "Bo"], keyring=KEYRING, registry=registry, folder=tmp_path / "copies")
    written = [path.read_text() for path in (tmp_path / "copies").glob("memo-*.txt")]
    assert len(written) == 2
    assert not any(LIE in one for one in written)


def test_what_the_owner_kept_is_not_replaced(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an intruder has sealed elsewhere and put in its place is not taken for the owner's."""
    found = find_analysis(registry, PatientEngine(), TEXT)
    forged = plant(str(tmp_path / "elsewhere.db"), monkeypatch)
    with registry.writing() as statements:
        statements.change("UPDATE analyses SET content = :content", content=forged)
    assert find_analysis(registry, PatientEngine(), TEXT) == found


def test_reviewing_and_issuing_ask_the_models_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that shows the words and the one that issues them have the same key at hand, and find the same."""
    monkeypatch.chdir(tmp_path)
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    assert run("key", "new").code == 0
    Path("memo.txt").write_text(TEXT)
    asked: list[str] = []

    def counted(engine: PatientEngine, text: str, **options: object) -> Analysis:
        asked.append(text)
        return analyse_document(engine, text, **options)  # type: ignore[arg-type] # whatever it was given

    monkeypatch.setattr(analysing, "analyse_document", counted)
    command = ("issue", "memo.txt", "--to", "people.csv", "--out", "copies", "--review", "words.csv", "--force")
    Path("people.csv").write_text("name\nAda\nBo\n")
    for _ in range(2):
        done = run(*command)
        assert done.code == 0, done.errors
    assert len(asked) == 1
    assert len(list(Path("copies").glob("memo-*.txt"))) == 2
