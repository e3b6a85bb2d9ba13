"""SWORDS figures, on a benchmark small enough to score by hand."""

import gzip
import json
from pathlib import Path

import pytest

from lexprint.errors import FormatError, InputError
from lexprint.evaluation.datasets import Target, data_folder, swords
from lexprint.evaluation.swords import gap_of, human, score

pytest.importorskip("lemminflect")

JUDGES = 10


def target(approval: dict[str, float], word: str = "large") -> Target:
    context = f"Before that. They bought a {word} house."
    sources: dict[str, tuple[str, ...]] = {
        name: ("coinco",) if share > 0.3 else ("roget",) for name, share in approval.items()
    }
    return Target(context, word, context.index(word), "ADJ", approval, sources)


def test_figures_by_hand() -> None:
    """Two targets; sums come first and are divided once."""
    one = target({"big": 0.9, "huge": 0.6, "wide": 0.1, "small": 0.0})
    two = target({"big": 0.8, "vast": 0.2})
    row = score("test", [one, two], [["big", "wide", "red"], ["vast", "small"]])
    assert row.lenient.precision == pytest.approx(100 * 1 / 3)  # big; red and small were not judged there
    assert row.lenient.recall == pytest.approx(100 * 1 / 3)  # big, huge; big
    assert row.strict.precision == pytest.approx(100 * 1 / 5)
    assert row.lenient_conceivable.precision == pytest.approx(100)
    assert row.lenient_conceivable.recall == pytest.approx(100 * 3 / 5)
    assert row.strict_conceivable.f == pytest.approx(60)


def test_only_ten_count() -> None:
    """Neither proposals after the tenth nor more than ten answers weigh in."""
    words = [f"w{number}" for number in range(20)]
    row = score("test", [target(dict.fromkeys(words, 1.0))], [words])
    assert (row.strict.precision, row.strict.recall) == (100, 100)


def test_thresholds() -> None:
    """Acceptable is more than half of the judges, conceivable one in ten."""
    one = target({"half": 0.5, "more": 0.6, "tenth": 0.1, "less": 0.05})
    assert one.acceptable == {"more"}
    assert one.conceivable == {"half", "more", "tenth"}


def test_lemmas_once_and_never_the_target() -> None:
    """Proposals are compared as dictionary forms."""
    from lexprint.evaluation.swords import lemmatised

    verb = Target("He ran.", "ran", 3, "VERB", {}, {})
    assert lemmatised(verb, ["sprinted", "sprints", "running", "runs", "raced"]) == ["sprint", "race"]


def test_the_gap_is_the_targets_sentence() -> None:
    """The context is cut to the sentence, and the word is where the offset says."""
    gap = gap_of(target({}))
    assert (gap.left, gap.word, gap.right) == ("They bought a ", "large", " house.")


def test_human_rows() -> None:
    """People's and the thesaurus's proposals are told apart by their source."""
    one = target({"big": 0.9, "wide": 0.1})
    assert list(human("coinco")([one])) == [["big"]]
    assert list(human("roget")([one])) == [["wide"]]


def test_reading_the_published_layout(tmp_path: Path) -> None:
    """Judgements become shares; unsure is not yes."""
    data = {
        "contexts": {"c": {"context": "A large house."}},
        "targets": {"t": {"context_id": "c", "target": "large", "offset": 2, "pos": "ADJ"}},
        "substitutes": {"s": {"target_id": "t", "substitute": "Big", "extra": {"sources": ["coinco"]}}},
        "substitute_labels": {"s": ["TRUE", "FALSE", "UNSURE", "TRUE_IMPLICIT"]},
    }
    (tmp_path / "swords").mkdir()
    with gzip.open(tmp_path / "swords" / "swords-v1.1_dev.json.gz", "wt") as file:
        json.dump(data, file)
    assert swords(tmp_path, "dev") == [Target("A large house.", "large", 2, "ADJ", {"big": 0.5}, {"big": ("coinco",)})]


def test_missing_or_damaged_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder, no file, another file: each says what is needed."""
    monkeypatch.delenv("LEXPRINT_DATA", raising=False)
    with pytest.raises(InputError, match="LEXPRINT_DATA"):
        data_folder(None)
    with pytest.raises(InputError, match="does not exist"):
        data_folder(tmp_path / "none")
    with pytest.raises(InputError, match="p-lambda/swords"):
        swords(tmp_path, "dev")
    (tmp_path / "swords").mkdir()
    (tmp_path / "swords" / "swords-v1.1_dev.json.gz").write_bytes(b"no gzip")
    with pytest.raises(FormatError, match="SWORDS"):
        swords(tmp_path, "dev")
