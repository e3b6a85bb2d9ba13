"""Every attack with its name and its strengths: one table from which all experiments choose.

A title is a name and a strength, such as "deletion 5%"; it means the same in every table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint_evaluation import attacks
from lexprint_evaluation.attacks import Attack
from lexprint_evaluation.schemes import schemes
from lexprint_evaluation.synonyms import thesaurus, wordnet_folder

SHARES = (0.025, 0.05, 0.075, 0.10)
UNTOUCHED = "untouched"


@dataclass(frozen=True)
class Family:
    """One attack with all its strengths."""

    attack: Callable[..., str]
    parameter: str = ""  # of the function: how strong it is
    strengths: tuple[float, ...] = ()
    form: str = "{:.1%}"
    need: str = ""  # what it has to be given besides the text, see `Means`

    def titles(self, name: str) -> list[str]:
        return [f"{name} {self._shown(one)}" for one in self.strengths] or [name]

    def strengthened(self, name: str, means: Means) -> list[NamedAttack]:
        given: dict[str, Any] = {self.need: means.of(self.need)} if self.need else {}
        if not self.strengths:
            return [NamedAttack(name, "", partial(self.attack, **given))]
        return [
            NamedAttack(name, self._shown(one), partial(self.attack, **{self.parameter: one}, **given))
            for one in self.strengths
        ]

    def _shown(self, strength: float) -> str:
        return self.form.format(strength).replace(".0%", "%")


@dataclass(frozen=True)
class NamedAttack:
    name: str
    strength: str  # empty where there is but one
    run: Attack

    @property
    def title(self) -> str:
        return f"{self.name} {self.strength}".rstrip()


@dataclass(frozen=True)
class Means:
    """What attackers may have besides the text; looked for only where an attack needs it."""

    engine: Engine | None = None
    other: str = ""  # a text that a copy is hidden in
    _found: dict[str, Any] = field(default_factory=dict)

    def of(self, need: str) -> Any:
        if need not in self._found:
            self._found[need] = _MEANS[need](self)
        return self._found[need]

    @property
    def loaded(self) -> Engine:
        if self.engine is None:
            raise ValueError("this attack needs models")
        return self.engine


_MEANS: Mapping[str, Callable[[Means], Any]] = MappingProxyType(
    {
        "other": lambda means: means.other,
        "thesaurus": lambda means: thesaurus(wordnet_folder()),
        "masked_lm": lambda means: means.loaded.masked_lm,
        "scheme": lambda means: schemes(means.loaded, ["lexprint"])[0],
    }
)

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        UNTOUCHED: Family(lambda text, chooser: text),
        "deletion": Family(attacks.delete_words, "share", SHARES),
        "insertion": Family(attacks.insert_words, "share", SHARES),
        "substitution": Family(attacks.substitute_words, "share", SHARES),
        "edits": Family(attacks.edit_words, "share", (0.10,)),
        "synonyms by WordNet": Family(attacks.swap_synonyms, "share", SHARES, need="thesaurus"),
        "synonyms by a masked LM": Family(attacks.swap_by_model, "share", (*SHARES, 0.20), need="masked_lm"),
        "shuffle": Family(attacks.shuffle_sentences),
        "crop": Family(attacks.crop, "kept", (0.8, 0.5, 0.25), "{:.0%} kept"),
        "excerpt": Family(attacks.excerpt, "words", (300,), "of {} words"),
        "copied into another": Family(attacks.bury, need="other"),
        "case": Family(attacks.lose_case),
        "punctuation": Family(attacks.lose_punctuation),
        "case and punctuation": Family(attacks.lose_case_and_punctuation),
        "white space": Family(attacks.change_spaces),
        "Unicode": Family(attacks.change_unicode),
        "look-alikes": Family(
            attacks.in_turn(
                partial(attacks.swap_homoglyphs, share=0.3), partial(attacks.sprinkle_zero_width, share=0.1)
            )
        ),
        "noise": Family(attacks.noise_characters, "share", (0.005, 0.01, 0.02)),
        "OCR": Family(attacks.misread_characters, "share", (0.01, 0.02)),
        "marked again": Family(attacks.remark, need="scheme"),
    }
)


def choose(wanted: Sequence[str], means: Means | None = None) -> list[NamedAttack]:
    """Attacks by title, or by name with all strengths, in the order of the table."""
    titles = {name: [name, *family.titles(name)] for name, family in FAMILIES.items()}
    if unknown := sorted(set(wanted).difference(*titles.values())):
        raise InputError(f"there is no attack {', '.join(unknown)}", needed=f"some of {', '.join(FAMILIES)}")
    return [
        one
        for name, family in FAMILIES.items()
        if not set(wanted).isdisjoint(titles[name])
        for one in family.strengthened(name, means or Means())
        if not {name, one.title}.isdisjoint(wanted)
    ]


def by_title(wanted: Sequence[str], means: Means | None = None) -> dict[str, Attack]:
    return {one.title: one.run for one in choose(wanted, means)}


# What each experiment asks for.
ON_TRACING = (
    UNTOUCHED,
    "edits 10%",
    "crop 50% kept",
    "shuffle",
    "case and punctuation",
    "OCR 2%",
    "look-alikes",
    "excerpt of 300 words",
)
ON_PAYLOADS = (
    UNTOUCHED,
    *(f"{name} {share}" for share in ("2.5%", "5%") for name in ("deletion", "insertion", "substitution")),
    "shuffle",
    "crop 80% kept",
)
ON_EVERY_SCHEME = (
    UNTOUCHED,
    "deletion",
    "insertion",
    "substitution",
    "synonyms by WordNet",
    *(f"synonyms by a masked LM {share}" for share in ("2.5%", "5%", "7.5%", "10%")),
    "shuffle",
    "crop",
    "copied into another",
    "case",
    "punctuation",
    "white space",
    "Unicode",
    "noise",
    "OCR",
    "marked again",
)
ON_PRESENCE = (  # PAN at CLEF 2026
    UNTOUCHED,
    "shuffle",
    *(f"{name} {share}" for name in ("deletion", "insertion", "substitution") for share in ("5%", "10%")),
    "synonyms by WordNet 10%",
    "synonyms by a masked LM 20%",
    "crop 50% kept",
    "copied into another",
    "noise 1%",
)
