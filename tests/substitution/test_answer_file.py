"""Answers kept in a file: the same results, fewer questions, nothing to read."""

import multiprocessing
import sqlite3
import stat
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings as budget, strategies as st

from lexprint.errors import SettingsError
from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings, find_profile
from lexprint.substitution import answer_file
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.watermark.scheme import paper_scheme

SECRET_WORD = "zephyr"


def opened(path: Path, *, fingerprint: str = "one", megabytes: int = 5) -> AnswerFile:
    return AnswerFile(path, fingerprint=fingerprint, megabytes=megabytes)


words = st.text(max_size=12)
gaps = st.builds(Gap, words, words, words)
numbers = st.floats(allow_nan=False)
candidates = st.lists(st.builds(Candidate, words.filter(lambda word: "\0" not in word), numbers, st.booleans()))


@budget(max_examples=25)
@given(st.dictionaries(gaps, candidates.map(tuple)), st.dictionaries(st.tuples(words, words), numbers))
def test_answers_come_back(
    proposals: dict[Gap, tuple[Candidate, ...]], entailments: dict[tuple[str, str], float]
) -> None:
    """Bit for bit, from another opening of the file, and only those that were kept."""
    with TemporaryDirectory() as folder:
        first = opened(Path(folder) / "answers")
        first.keep_proposals(proposals)
        first.keep_entailments(entailments)
        other = opened(Path(folder) / "answers")
        assert other.proposals([*proposals, Gap("never", "asked", "before")]) == proposals
        assert other.entailments([*entailments, ("never asked", "before it")]) == entailments
        assert opened(Path(folder) / "answers", fingerprint="two").entailments(list(entailments)) == {}


@budget(max_examples=8)
@given(st.integers(0, 50), st.lists(st.integers(0, 1), max_size=30), st.sampled_from(["paper", "lexprint"]))
def test_results_are_the_same(seed: int, bits: list[int], profile: str) -> None:
    """Without a file, with a new one and with a full one; and the full one spares all questions."""
    chosen, document = find_profile(profile).substitution, segment(fake_text(words=60, seed=seed))

    def marked(answers: AnswerFile | None) -> tuple[object, int]:
        models = FakeMaskedLM(), FakeEntailment()
        scheme = paper_scheme(Substituter(*models, chosen, answers=answers), fingerprint="test")
        return embed(document, bits, scheme), sum(model.inputs for model in models)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers"
        plain, new, full = marked(None), marked(opened(path)), marked(opened(path))
    assert plain == new
    assert full == (plain[0], 0)


def test_the_file_shows_no_words(tmp_path: Path) -> None:
    """Neither questions nor answers can be read in it, and only its owner may open it."""
    path = tmp_path / "answers"
    answers = opened(path)
    answers.keep_proposals(
        {Gap("The ", SECRET_WORD, " blew."): (Candidate(SECRET_WORD, -0.1), Candidate("wind", -2.0))}
    )
    answers.keep_entailments({(f"The {SECRET_WORD} blew.", "The wind blew."): 0.99})
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert SECRET_WORD.encode() not in content
        assert b"wind" not in content
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with sqlite3.connect(path) as connection:
        (value,) = connection.execute("SELECT value FROM answers ORDER BY length(value)").fetchone()
    assert b"\xae\x47\xe1\x7a\x14\xae\xef\x3f" not in value, "0.99 as it would be stored openly"


def test_the_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest unused go first."""
    monkeypatch.setattr(answer_file, "CHECKED_EVERY", 500)
    path = tmp_path / "answers"
    favourite = {("asked", "in every run"): 0.5}
    opened(path).keep_entailments(favourite)
    for run in range(8):
        answers = opened(path, megabytes=1)
        assert answers.entailments(list(favourite)) == favourite
        for part in range(10):
            answers.keep_entailments({(f"{run} {part} {number}", "x"): 0.25 for number in range(500)})
    assert path.stat().st_size <= 1_100_000
    last = [("7 9 499", "x"), ("0 0 0", "x")]
    assert list(opened(path).entailments(last)) == last[:1]


def test_damage_is_no_answer(tmp_path: Path) -> None:
    """A value that was changed is asked again; a file that is no longer one stops nobody."""
    path = tmp_path / "answers"
    answers = opened(path)
    answers.keep_entailments({("a", "b"): 0.5, ("c", "d"): 0.25})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE answers SET value = zeroblob(12) WHERE key = (SELECT min(key) FROM answers)")
    assert len(answers.entailments([("a", "b"), ("c", "d")])) == 1
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE answers")
    assert answers.entailments([("a", "b")]) == {}
    answers.keep_entailments({("a", "b"): 0.5})
    substituter = Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings(), answers=answers)
    assert substituter.most_probable([Gap("The ", "large", " house")])


def test_what_nobody_asked_for_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damaged pages may give rows of other questions."""
    answers = opened(tmp_path / "answers")
    rows = SimpleNamespace(execute=lambda *asked: SimpleNamespace(fetchall=lambda: [(b"other", b"value", 1)]))
    monkeypatch.setattr(answers, "_connected", lambda: nullcontext(rows))
    assert answers.entailments([("a", "b")]) == {}


def _keep_some(answers: AnswerFile, start: int) -> None:
    answers.keep_entailments({(str(number), ""): float(number) for number in range(start, start + 50)})


def test_many_processes_use_it(tmp_path: Path) -> None:
    """Processes that were forked after it was opened write to it at once."""
    answers = opened(tmp_path / "answers")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_keep_some, args=(answers, 50 * number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    expected = {(str(number), ""): float(number) for number in range(200)}
    assert answers.entailments(list(expected)) == expected


@pytest.mark.parametrize(("name", "megabytes"), [(".", 5), ("file/below", 5), ("fine", 0)])
def test_what_cannot_be_a_cache(tmp_path: Path, name: str, megabytes: int) -> None:
    """Is refused at once."""
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cache"):
        opened(tmp_path / name, megabytes=megabytes)
