"""Settings are frozen values, checked once; they come from a profile, a TOML file, the environment and arguments.

Whoever reads a mark needs the settings that made it, so every value here that can move a bit enters the fingerprint.
"""

import difflib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from lexprint.errors import SettingsError

ENVIRONMENT_PREFIX = "LEXPRINT_"
DEFAULT_PROFILE = "lexprint"
HUB_PROFILE = "paper"  # what stands for it with a masked LM of a hub, which was never told what readers accept
SHIPPED = "shipped"  # the name of the models inside the package
_MODELS = "models"

EntailmentDirection = Literal["forward", "symmetric"]
RiskSet = Literal["boundaries", "paper", "careful"]
Ranking = Literal["entailment", "acceptance"]


def _require_at_least(name: str, value: int, lowest: int) -> None:
    if value < lowest:
        raise SettingsError(name, value, needed=f"a whole number of at least {lowest}")


def _require_probability(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise SettingsError(name, value, needed="a probability between 0 and 1")


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingsError(name, value, needed=f"one of {', '.join(choices)}")


@dataclass(frozen=True, kw_only=True)
class SubstitutionSettings:
    """What may stand in for a word."""

    proposals: int = 32  # K in the paper
    entailment_floor: float = 0.95  # lambda in the paper
    entailment_direction: EntailmentDirection = "forward"  # the paper asks one way: sentence to changed sentence
    acceptance_floor: float = 0.0  # least share of readers that would accept an exchange; the paper asks none
    guard_band: float = 1e-4  # a comparison closer than this is not made: other machines might decide it otherwise

    def __post_init__(self) -> None:
        _require_at_least("substitution.proposals", self.proposals, 2)
        _require_probability("substitution.entailment_floor", self.entailment_floor)
        _require_choice("substitution.entailment_direction", self.entailment_direction, get_args(EntailmentDirection))
        if not 0.0 <= self.acceptance_floor < 1.0:
            raise SettingsError("substitution.acceptance_floor", self.acceptance_floor, needed="0 or a probability")
        if not 0.0 <= self.guard_band < 0.5:
            raise SettingsError("substitution.guard_band", self.guard_band, needed="a number from 0 to below 0.5")


@dataclass(frozen=True, kw_only=True)
class WatermarkSettings:
    """Which words carry bits."""

    gap: int = 1  # f in the paper: words skipped after a site
    ranking: Ranking = "entailment"  # what makes two words the best of a gap; the paper asks SR, `acceptance` readers
    # careful: also words and pairs whose exchange could change a fact; boundaries: of all rules only that sentences stay whole
    risk_set: RiskSet = "paper"

    def __post_init__(self) -> None:
        _require_at_least("watermark.gap", self.gap, 1)
        _require_choice("watermark.ranking", self.ranking, get_args(Ranking))
        _require_choice("watermark.risk_set", self.risk_set, get_args(RiskSet))


@dataclass(frozen=True, kw_only=True)
class CopySettings:
    """Where copies may differ."""

    most_weighed: int = 4  # candidates of a place that are asked the way back and SR
    most_words: int = (
        3  # besides the master's; each is half as frequent among copies as the one before, so more tell little
    )
    words_per_site: int = 6  # a sentence bears one site in so many words, and one

    def __post_init__(self) -> None:
        _require_at_least("copies.most_weighed", self.most_weighed, 1)
        _require_at_least("copies.words_per_site", self.words_per_site, 1)
        if not 1 <= self.most_words <= 3:  # a symbol of a codeword has two bits
            raise SettingsError("copies.most_words", self.most_words, needed="1, 2 or 3")


@dataclass(frozen=True, kw_only=True)
class ModelNames:
    """Which models to load: `shipped`, or the name or folder of a hub model (extra: hub).

    They are no part of `Settings`: a fingerprint tells models by what they are, not by what they are called.
    """

    masked_lm: str = SHIPPED
    entailment: str = SHIPPED
    sentence_encoder: str = SHIPPED


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings that decide where bits are.

    >>> Settings().substitution.proposals
    32
    """

    profile: str = "paper@1"
    substitution: SubstitutionSettings = field(default_factory=SubstitutionSettings)
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)
    copies: CopySettings = field(default_factory=CopySettings)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that differ when any value differs; the profile's name does not count."""
        values = {name: asdict(getattr(self, name)) for name in _SECTIONS}
        canonical = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


_SECTIONS = tuple(item.name for item in fields(Settings) if item.name != "profile")

# A published profile never changes; better numbers get the next version.
# `careful`, `lexprint` and `dense` are thresholds on one scale: the share of readers that would accept an exchange. More of
# them accept the exchanges of a text on average, since most lie above the threshold (docs/reading.md). `presence` is for telling
# whether a text is marked at all, where a short text needs every site it has.
PROFILES: Mapping[str, Settings] = MappingProxyType(
    {
        "paper@1": Settings(profile="paper@1"),
        "literal@1": Settings(  # for researchers: Algorithms 1 and 2, sentences kept whole (docs/paper-profile.md)
            profile="literal@1",
            substitution=SubstitutionSettings(guard_band=0.0),
            watermark=WatermarkSettings(risk_set="boundaries"),
        ),
        **{
            f"{name}@1": Settings(
                profile=f"{name}@1",
                substitution=SubstitutionSettings(proposals=16, acceptance_floor=floor),
                watermark=WatermarkSettings(ranking="acceptance", risk_set="careful"),
            )
            for name, floor in (("careful", 0.8), ("lexprint", 0.7), ("dense", 0.45), ("presence", 0.25))
        },
    }
)


def find_profile(name: str) -> Settings:
    """Settings of a profile: `paper` is its newest version, `paper@1` that very one."""
    if name in PROFILES:
        return PROFILES[name]
    versions = [known for known in PROFILES if known.rpartition("@")[0] == name]
    if not versions:
        raise SettingsError("profile", name, needed=f"one of {', '.join(sorted(PROFILES))}")
    return PROFILES[max(versions, key=lambda known: int(known.rpartition("@")[2]))]


def has_denser_profile(settings: Settings) -> bool:
    """Whether the profile dense would find more sites."""
    return settings.substitution.acceptance_floor > find_profile("dense").substitution.acceptance_floor


def load_settings(
    *,
    profile: str | None = None,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Settings:
    """Settings of a profile, overridden by a TOML file, then the environment, then arguments.

    Arguments are named as in the file, with a dot: `{"watermark.gap": 2}`; the same in the environment is
    `LEXPRINT_WATERMARK_GAP=2`. `LEXPRINT_SETTINGS` may name the file.

    >>> load_settings(profile="paper", arguments={"watermark.gap": 2}).watermark
    WatermarkSettings(gap=2, ranking='entailment', risk_set='paper')
    """
    values = _values(file, environment, arguments)
    named_profile = values.pop("profile", None)
    if not isinstance(named_profile, str | None):
        raise SettingsError("profile", named_profile, needed="the name of a profile")
    usual = DEFAULT_PROFILE if _models(values).masked_lm == SHIPPED else HUB_PROFILE
    settings = find_profile(profile or named_profile or usual)
    for name, value in values.items():
        if not name.startswith(f"{_MODELS}."):
            settings = _with_value(settings, name, value)
    return settings


def load_models(
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
) -> ModelNames:
    """Which models to load, from the same places: the table `[models]` of the file, `LEXPRINT_MODELS_MASKED_LM`, arguments.

    >>> load_models(environment={"LEXPRINT_MODELS_ENTAILMENT": "roberta-large-mnli"}).entailment
    'roberta-large-mnli'
    """
    return _models(_values(file, environment, arguments))


def _values(
    file: Path | None, environment: Mapping[str, str] | None, arguments: Mapping[str, object] | None
) -> dict[str, object]:
    """What was set, by name with a dot; the later place wins."""
    environment = os.environ if environment is None else environment
    if file is None and (named := environment.get(f"{ENVIRONMENT_PREFIX}SETTINGS")):
        file = Path(named)
    layers = [_from_file(file) if file else {}, _from_environment(environment), dict(arguments or {})]
    return {name: value for layer in layers for name, value in layer.items()}


def _models(values: Mapping[str, object]) -> ModelNames:
    known = [item.name for item in fields(ModelNames)]
    chosen: dict[str, str] = {}
    for name, value in values.items():
        section, _, role = name.partition(".")
        if section != _MODELS:
            continue
        if role not in known:
            raise SettingsError(name, value, needed=f"one of {', '.join(f'{_MODELS}.{one}' for one in known)}")
        if not isinstance(value, str) or not value:
            raise SettingsError(name, value, needed=f"{SHIPPED}, or the name or folder of a model")
        chosen[role] = value
    return ModelNames(**chosen)


def _from_file(path: Path) -> dict[str, object]:
    import tomllib  # most commands need no file, and should not wait for it

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError("file", str(path), needed="a file that can be read") from error
    except ValueError as error:  # TOML and UTF-8 errors are both ValueErrors
        raise SettingsError("file", str(path), needed=f"a TOML file ({error})") from error
    values: dict[str, object] = {}
    for key, value in tables.items():
        values |= {f"{key}.{name}": inner for name, inner in value.items()} if isinstance(value, dict) else {key: value}
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in sorted(environment.items()):
        section, _, name = key.removeprefix(ENVIRONMENT_PREFIX).lower().partition("_")
        if key == f"{ENVIRONMENT_PREFIX}PROFILE":
            values["profile"] = value
        elif key.startswith(ENVIRONMENT_PREFIX) and section in (*_SECTIONS, _MODELS):
            values[f"{section}.{name}"] = value
    return values


def _with_value(settings: Settings, name: str, value: object) -> Settings:
    section_name, _, field_name = name.partition(".")
    section = getattr(settings, section_name) if section_name in _SECTIONS else None
    if section is None or field_name not in {item.name for item in fields(section)}:
        known = [f"{part}.{item.name}" for part in _SECTIONS for item in fields(getattr(settings, part))]
        likely = difflib.get_close_matches(name, known, n=1)
        raise SettingsError(
            name, value, needed=f"did you mean {likely[0]}?" if likely else f"one of {', '.join(known)}"
        )
    typed = _typed(name, value, like=getattr(section, field_name))
    changed = replace(section, **{field_name: typed})
    return replace(settings, **{section_name: changed})


def _typed(name: str, value: object, *, like: object) -> object:
    """`value` as the type of `like`; text from the environment is parsed, anything else must already fit."""
    wanted = type(like)
    if isinstance(value, str) and wanted in (int, float):
        try:
            return wanted(value)
        except ValueError as error:
            raise SettingsError(name, value, needed=_NOUNS[wanted]) from error
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise SettingsError(name, value, needed=_NOUNS.get(wanted, wanted.__name__))
    return value


_NOUNS: dict[type, str] = {int: "a whole number", float: "a number", str: "text"}
