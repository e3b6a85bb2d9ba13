"""An analysis is made once, and only who has the text can read it."""

from collections.abc import Iterator

import pytest
from tests.workflows.patient import PatientEngine

from lexprint.registry.protocol import Registry, open_registry
from lexprint.settings import find_profile
from lexprint.testing import fake_text
from lexprint.text.span import Span
from lexprint.workflows import analysing
from lexprint.workflows.analysing import analyse_document, find_analysis

TEXT = fake_text(words=200, seed=4)


@pytest.fixture
def registry(location: str) -> Iterator[Registry]:
    with open_registry(location) as registry:
        yield registry


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that models were asked about."""
    asked: list[str] = []

    def counted(engine: PatientEngine, text: str, **options: object) -> object:
        asked.append(text)
        return analyse_document(engine, text, **options)  # type: ignore[arg-type] # whatever it was given

    monkeypatch.setattr(analysing, "analyse_document", counted)
    return asked


def test_the_same_question_is_asked_once(registry: Registry, times: list[str]) -> None:
    """The answer is the same to the last site, and progress says that all is done."""
    told: list[tuple[int, int]] = []
    first = find_analysis(registry, PatientEngine(), TEXT)
    assert first.sites
    assert find_analysis(registry, PatientEngine(), TEXT, on_progress=lambda *done: told.append(done)) == first
    assert len(times) == 1
    assert told == [(first.words, first.words)]


def test_another_question_is_asked_anew(registry: Registry, times: list[str]) -> None:
    """Another text, other protected parts, other settings."""
    engine = PatientEngine()
    find_analysis(registry, engine, TEXT)
    find_analysis(registry, engine, f"{TEXT} So.")
    find_analysis(registry, engine, TEXT, protected=[Span(0, 50)])
    find_analysis(registry, engine, TEXT, protected_phrases=[TEXT.split()[3]])
    other = PatientEngine(settings=find_profile("dense"))
    find_analysis(registry, other, TEXT)
    assert len(times) == 5


def test_a_registry_tells_nothing_of_drafts(registry: Registry) -> None:
    """Without the text, what is kept is noise; changed, it is made anew."""
    found = find_analysis(registry, PatientEngine(), TEXT)
    with registry.reading() as statements:
        (row,) = statements.rows("SELECT name, content FROM analyses")
    content = bytes(row["content"])
    assert all(site.word.encode() not in content for site in found.sites if len(site.word) > 3)
    with registry.writing() as statements:
        statements.change("UPDATE analyses SET content = :content", content=content[:-1] + b"?")
    assert find_analysis(registry, PatientEngine(), TEXT) == found


def test_old_ones_are_forgotten(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many days, when the next is kept."""
    find_analysis(registry, PatientEngine(), TEXT)
    monkeypatch.setattr(analysing, "DAYS_KEPT", -1)
    find_analysis(registry, PatientEngine(), f"{TEXT} So.")
    with registry.reading() as statements:
        assert len(statements.rows("SELECT name FROM analyses")) == 1
