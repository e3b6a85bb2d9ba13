"""SWORDS figures, on a benchmark small enough to score by hand."""

import gzip
import json
from pathlib import Path

import pytest
from tests.fakes import FakeEngine

from lexprint.errors import FormatError, InputError
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families
from lexprint_evaluation.datasets import Target, data_folder, swords
from lexprint_evaluation.swords import by_acceptance, by_entailment, gap_of, human, methods, reference, score

JUDGES = 20


def votes(share: float) -> tuple[bool, ...]:
    return tuple(number < round(share * JUDGES) for number in range(JUDGES))


def target(approval: dict[str, float], word: str = "large") -> Target:
    context = f"Before that. They bought a {word} house."
    sources: dict[str, tuple[str, ...]] = {
        name: ("coinco",) if share > 0.3 else ("roget",) for name, share in approval.items()
    }
    given = {name: votes(share) for name, share in approval.items()}
    return Target(context, word, context.index(word), "ADJ", given, sources)


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
    one = reference(target({"big": 0.5, "huge": 0.6, "wide": 0.1, "small": 0.05}))
    assert one.acceptable == {"huge"}
    assert one.conceivable == {"big", "huge", "wide"}


def test_forms_of_one_word_vote_together() -> None:
    """Their votes are pooled; a form of the target is no substitute, and a form without a vote was not judged."""
    given = {"sprinted": (True, True), "Sprints": (False,), "running": (True,), "raced": (), "set off": (True, False)}
    verb = Target("He ran.", "ran", 3, "VERB", given, {})
    assert reference(verb).approval == {"sprint": pytest.approx(2 / 3), "set off": 0.5}


def test_targets_that_nobody_judged_do_not_count() -> None:
    """Neither for precision nor for recall."""
    unjudged = Target("A large house.", "large", 2, "ADJ", {"big": ()}, {})
    one = target({"big": 0.9})
    assert score("test", [one, unjudged], [["big"], ["big", "red"]]) == score("test", [one], [["big"]])


def test_more_than_ten_are_ranked_before_the_unjudged_are_left_out() -> None:
    """Lenient takes the first ten of those that were judged, however far behind they are."""
    words = [f"w{number}" for number in range(40)]
    row = score("test", [target({"w39": 1.0, "w38": 1.0})], [words])
    assert (row.lenient.recall, row.strict.recall) == (100, 0)


def test_lemmas_once_and_never_the_target() -> None:
    """Proposals are compared as dictionary forms."""
    from lexprint_evaluation.swords import lemmatised

    verb = Target("He ran.", "ran", 3, "VERB", {}, {})
    assert lemmatised(verb, ["sprinted", "sprints", "running", "runs", "raced"]) == ["sprint", "race"]


def test_our_own_row_ranks_by_acceptance() -> None:
    """Those that were weighed come first, most acceptable first, and nothing that was proposed is lost."""
    family = fake_families()[0]
    context = f"He saw the {family[0]} of it."
    noun = Target(context, family[0], context.index(family[0]), "NOUN", {}, {})
    asked, asked_for_sr = (
        Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings(proposals=40, acceptance_floor=floor))
        for floor in (0.5, 0.0)
    )
    (ranked,), (by_sr,) = by_acceptance(asked)([noun]), by_entailment(asked_for_sr)([noun])
    assert set(ranked) == set(by_sr)
    assert ranked != by_sr
    gap = gap_of(noun)
    candidates = {one.word: one for one in asked.most_probable([gap])[0]}
    shown = [candidates[word] for word in ranked[:10] if word in candidates]
    exchanges = [(gap, one) for one in shown]
    exchanged = asked.weigh_back(exchanges, asked.look_back(exchanges))
    weighed = [one.acceptance for one in exchanged if one is not None]
    assert weighed == sorted(weighed, reverse=True)


def test_our_own_row_ends_where_nobody_would_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The beginning of the whole list, as far as enough readers would accept a word."""
    family = fake_families()[0]
    context = f"He saw the {family[0]} of it."
    noun = Target(context, family[0], context.index(family[0]), "NOUN", {}, {})
    settings = SubstitutionSettings(proposals=40, acceptance_floor=0.5)
    asked = Substituter(FakeMaskedLM(), FakeEntailment(), settings)
    (whole,) = by_acceptance(asked)([noun])
    monkeypatch.setattr("lexprint_evaluation.swords.LEAST", 0.5)
    (ended,) = by_acceptance(asked)([noun])
    assert 0 < len(ended) < len(whole)
    assert ended == whole[: len(ended)]


def test_rows_of_models_that_know_readers() -> None:
    """Fakes have no hidden layers to look into, so the rows of BERT that need them are left out."""
    assert list(methods(FakeEngine())) == ["CoInCo", "Thesaurus", "BERT-M", "Algorithm 1", "lexprint"]


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
    """Judgements become votes; who was unsure has none."""
    data = {
        "contexts": {"c": {"context": "A large house."}},
        "targets": {"t": {"context_id": "c", "target": "large", "offset": 2, "pos": "ADJ"}},
        "substitutes": {"s": {"target_id": "t", "substitute": "Big", "extra": {"sources": ["coinco"]}}},
        "substitute_labels": {"s": ["TRUE", "FALSE", "UNSURE", "TRUE_IMPLICIT"]},
    }
    (tmp_path / "swords").mkdir()
    with gzip.open(tmp_path / "swords" / "swords-v1.1_dev.json.gz", "wt") as file:
        json.dump(data, file)
    votes: dict[str, tuple[bool, ...]] = {"Big": (True, False, True)}
    assert swords(tmp_path, "dev") == [Target("A large house.", "large", 2, "ADJ", votes, {"Big": ("coinco",)})]


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
