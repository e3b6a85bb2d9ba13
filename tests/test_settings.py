"""Settings are checked once, wherever they come from."""

import dataclasses
from pathlib import Path

import pytest

from lexprint.errors import SettingsError
from lexprint.settings import (
    PROFILES,
    CopySettings,
    ModelNames,
    Settings,
    SubstitutionSettings,
    WatermarkSettings,
    find_profile,
    load_models,
    load_settings,
)


def test_the_paper_profile_is_the_paper() -> None:
    """The published numbers: K = 32, lambda = 0.95, one way, f = 1."""
    paper = find_profile("paper")
    assert (paper.substitution.proposals, paper.substitution.entailment_floor) == (32, 0.95)
    assert paper.substitution.entailment_direction == "forward"
    assert paper.watermark.gap == 1


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_know_their_name(name: str) -> None:
    """A profile is found by its full name, and its newest version by the short one."""
    assert find_profile(name).profile == name
    assert find_profile(name.partition("@")[0]).profile.startswith(name.partition("@")[0])


def test_unknown_profiles_are_refused() -> None:
    """The message lists what there is."""
    with pytest.raises(SettingsError, match="paper@1"):
        find_profile("papyrus")


def test_settings_are_frozen() -> None:
    """Nobody changes a setting on the way."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().profile = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (SubstitutionSettings, {"proposals": 1}),
        (SubstitutionSettings, {"entailment_floor": 1.0}),
        (SubstitutionSettings, {"entailment_floor": 0.0}),
        (SubstitutionSettings, {"entailment_floor": float("nan")}),
        (SubstitutionSettings, {"entailment_direction": "backward"}),
        (SubstitutionSettings, {"guard_band": -0.1}),
        (SubstitutionSettings, {"guard_band": 0.5}),
        (WatermarkSettings, {"gap": 0}),
        (CopySettings, {"most_weighed": 0}),
        (CopySettings, {"most_words": 4}),
        (CopySettings, {"words_per_site": 0}),
    ],
)
def test_values_out_of_range_are_refused(kind: type, values: dict[str, object]) -> None:
    """A value that makes no sense never becomes a setting, and the error names it."""
    with pytest.raises(SettingsError) as caught:
        kind(**values)
    assert caught.value.name.endswith(next(iter(values)))


def test_later_sources_win(tmp_path: Path) -> None:
    """File over profile, environment over file, arguments over all."""
    file = tmp_path / "lexprint.toml"
    file.write_text("profile = 'paper'\n[substitution]\nproposals = 8\nentailment_floor = 0.9\n[watermark]\ngap = 2\n")
    environment = {"LEXPRINT_SUBSTITUTION_PROPOSALS": "16", "LEXPRINT_WATERMARK_GAP": "3", "HOME": "/"}
    settings = load_settings(file=file, environment=environment, arguments={"watermark.gap": 4})
    assert settings.profile == "paper@1"
    assert settings.substitution == SubstitutionSettings(proposals=16, entailment_floor=0.9)
    assert settings.watermark.gap == 4


def test_environment_may_name_file_and_profile(tmp_path: Path) -> None:
    """A server needs no arguments."""
    file = tmp_path / "settings.toml"
    file.write_text("[watermark]\ngap = 2\n")
    settings = load_settings(environment={"LEXPRINT_SETTINGS": str(file), "LEXPRINT_PROFILE": "paper@1"})
    assert settings.watermark.gap == 2


def test_other_variables_are_left_alone() -> None:
    """Variables of other parts and programs are not settings."""
    assert load_settings(environment={"LEXPRINT_CACHE": "x", "WATERMARK_GAP": "7"}) == find_profile("lexprint")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"watermark.gpa": 2}, "did you mean watermark.gap?"),
        ({"zebra": 2}, "one of substitution.proposals"),
        ({"watermark.gap": 1.5}, "a whole number"),
        ({"watermark.gap": True}, "a whole number"),
        ({"watermark.gap": "many"}, "a whole number"),
        ({"substitution.entailment_floor": "high"}, "a number"),
        ({"substitution.entailment_direction": 1}, "text"),
        ({"profile": 1}, "the name of a profile"),
    ],
)
def test_mistakes_are_explained(arguments: dict[str, object], hint: str) -> None:
    """A misspelt name or a wrong type is answered with what was meant."""
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={}, arguments=arguments)
    assert hint in str(caught.value)


@pytest.mark.parametrize("content", [b"gap = = 2", b"\xff\xfe"])
def test_broken_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is not TOML is named."""
    file = tmp_path / "broken.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"broken\.toml"):
        load_settings(file=file, environment={})


def test_missing_files_are_refused(tmp_path: Path) -> None:
    """A file that was asked for must be there."""
    with pytest.raises(SettingsError, match="can be read"):
        load_settings(file=tmp_path / "none.toml", environment={})


def test_whole_numbers_serve_as_numbers() -> None:
    """`guard_band = 0` in a file means 0.0."""
    settings = load_settings(environment={}, arguments={"substitution.guard_band": 0})
    assert settings.substitution.guard_band == 0.0


def test_fingerprint_follows_the_values() -> None:
    """Every value counts; a name alone does not."""
    settings = Settings()
    assert len(settings.fingerprint) == 16
    assert Settings(profile="other").fingerprint == settings.fingerprint
    assert Settings(watermark=WatermarkSettings(gap=2)).fingerprint != settings.fingerprint


def test_models_are_named_beside_the_settings(tmp_path: Path) -> None:
    """File, then environment, then arguments; names change no fingerprint, and a hub's masked LM asks for `paper`."""
    (tmp_path / "own.toml").write_text('[models]\nentailment = "one"\nmasked_lm = "two"\n', "utf-8")
    environment = {"LEXPRINT_MODELS_ENTAILMENT": "three"}
    found = load_models(
        file=tmp_path / "own.toml", environment=environment, arguments={"models.sentence_encoder": "four"}
    )
    assert found == ModelNames(masked_lm="two", entailment="three", sentence_encoder="four")
    settings = load_settings(file=tmp_path / "own.toml", environment={})
    assert settings == find_profile("paper")
    assert load_settings(environment=environment) == find_profile("lexprint")
    assert load_models(environment={}) == ModelNames()


@pytest.mark.parametrize(
    ("name", "value"), [("models.tokenizer", "x"), ("models.masked_lm", 7), ("models.entailment", "")]
)
def test_wrong_model_names_are_refused(name: str, value: object) -> None:
    """One sentence with what is needed."""
    with pytest.raises(SettingsError, match="needed"):
        load_models(environment={}, arguments={name: value})
