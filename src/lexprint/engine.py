"""Settings to loaded models: the only place that builds them.

A model is loaded when it is first asked, so a command that needs one of the three does not wait for the others. Whoever
shows how work goes on can see meanwhile that it is being loaded.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, Literal, TypeAlias

from lexprint import __version__
from lexprint.copies.phrases import phrases_digest
from lexprint.errors import SettingsError
from lexprint.models.protocols import Entailment, MaskedLM, SentenceEncoder
from lexprint.models.weights import ModelFiles, shipped_model
from lexprint.settings import DEFAULT_PROFILE, SHIPPED, ModelNames, Settings, find_profile
from lexprint.substitution.acceptance import acceptance_digest
from lexprint.substitution.answer_file import DEFAULT_MEGABYTES, AnswerFile
from lexprint.substitution.lexicon import lexicon_digest
from lexprint.substitution.lists import word_lists_digest
from lexprint.substitution.substituter import Substituter
from lexprint.text.lists import lists_digest
from lexprint.watermark.literal import substituter_kind

Role: TypeAlias = Literal["masked_lm", "entailment", "sentence_encoder"]

_TURN = RLock()  # one thread loads at a time, so what two ask for is in memory once


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Models and settings that belong together; a model is loaded when it is first asked.

    >>> Engine().settings.profile
    'lexprint@1'
    """

    settings: Settings = field(default_factory=lambda: find_profile(DEFAULT_PROFILE))
    models: ModelNames = field(default_factory=ModelNames)
    threads: int = 0  # 0: one per core
    batch_size: int = 64
    cache: Path | None = None  # a file in which answers of the models are kept; None: they are forgotten
    cache_megabytes: int = DEFAULT_MEGABYTES

    @cached_property
    def masked_lm(self) -> MaskedLM:
        found: MaskedLM = self._model("masked_lm")
        return found

    @cached_property
    def entailment(self) -> Entailment:
        found: Entailment = self._model("entailment")
        return found

    @cached_property
    def sentence_encoder(self) -> SentenceEncoder:
        found: SentenceEncoder = self._model("sentence_encoder")
        return found

    def load(self) -> None:
        """Load what marking needs now, rather than when it is first asked."""
        _ = self.masked_lm, self.entailment

    @property
    def loading(self) -> Role | None:
        """Which model is being loaded at the moment, for whoever watches from another thread."""
        if (lender := self._lender) is not None:
            return lender.loading
        found: Role | None = vars(self).get("_loading")
        return found

    @property
    def _lender(self) -> Engine | None:
        """Whose models these are, if they are not its own."""
        found: Engine | None = vars(self).get("_models_of")
        return found

    def _model(self, role: Role) -> Any:
        """That of the lender, or loaded here; while one thread does so others wait, and get the same."""
        with _TURN:
            if role not in vars(self):
                vars(self)[role] = self._load(role) if self._lender is None else getattr(self._lender, role)
            return vars(self)[role]

    def _load(self, role: Role) -> Any:
        vars(self)["_loading"] = role
        try:
            return getattr(self, f"_load_{role}")()
        finally:
            vars(self)["_loading"] = None

    def _load_masked_lm(self) -> MaskedLM:
        if self.models.masked_lm != SHIPPED:
            from lexprint.models.torch_backend import HubMaskedLM

            return HubMaskedLM(self.models.masked_lm, batch_size=self.batch_size)
        from lexprint.models.masked_lm import OnnxMaskedLM

        return OnnxMaskedLM(shipped_model("masked_lm"), threads=self.threads, batch_size=self.batch_size)

    def _load_entailment(self) -> Entailment:
        if self.models.entailment != SHIPPED:
            from lexprint.models.torch_backend import HubEntailment

            return HubEntailment(self.models.entailment, batch_size=self.batch_size)
        from lexprint.models.entailment import OnnxEntailment

        return OnnxEntailment(shipped_model("entailment"), threads=self.threads, batch_size=self.batch_size)

    def _load_sentence_encoder(self) -> SentenceEncoder:
        if self.models.sentence_encoder != SHIPPED:
            from lexprint.models.torch_backend import HubSentenceEncoder

            return HubSentenceEncoder(self.models.sentence_encoder, batch_size=self.batch_size)
        from lexprint.models.sentence_encoder import OnnxSentenceEncoder

        return OnnxSentenceEncoder(shipped_model("sentence_encoder"), threads=self.threads, batch_size=self.batch_size)

    @cached_property
    def substituter(self) -> Substituter:
        if self.settings.substitution.acceptance_floor and self.models.masked_lm != SHIPPED:
            needed = "the profile paper: a hub model was never told what readers accept"
            raise SettingsError("profile", self.settings.profile, needed=needed)
        answers = None
        if self.cache is not None:
            fingerprint = f"{__version__} {self.fingerprint}"
            answers = AnswerFile(self.cache, fingerprint=fingerprint, megabytes=self.cache_megabytes)
        kind = substituter_kind(self.settings.watermark)
        return kind(self.masked_lm, self.entailment, self.settings.substitution, answers=answers)

    def with_settings(self, settings: Settings) -> Engine:
        """The same models with other settings, and a memory of its own: that of a substituter is for one thread.

        Nothing is loaded for that; what either of them asks for first is loaded once for both.
        """
        twin = replace(self, settings=settings)
        vars(twin)["_models_of"] = self._lender or self
        return twin

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that stand for all that says where bits are: models, settings, lexicon, word lists and formula."""
        return _digest(
            self._model_fingerprint("masked_lm"),
            self._model_fingerprint("entailment"),
            self._model_fingerprint("sentence_encoder"),
            self.settings.fingerprint,
            lexicon_digest(),
            acceptance_digest(),
            word_lists_digest(),
            lists_digest(),
        )

    @property
    def copies_fingerprint(self) -> str:
        """Stands for all that says where copies may differ: phrases too, which no reader of bits needs."""
        if not self.settings.substitution.acceptance_floor:  # the paper has no phrases
            return self.fingerprint
        return _digest(self.fingerprint, phrases_digest())

    @cached_property
    def canary(self) -> str:
        """What the models answer on this machine; empty for models of a hub, which promise no more than to be near it."""
        if (self.models.masked_lm, self.models.entailment) != (SHIPPED, SHIPPED):
            return ""
        from lexprint.models.canary import canary_of

        return canary_of(self.masked_lm, self.entailment)

    @property
    def known_canary(self) -> str | None:
        """What the models should answer; no model is asked. None: they are not the shipped ones."""
        if (self.models.masked_lm, self.models.entailment) != (SHIPPED, SHIPPED):
            return None
        from lexprint.models.canary import known_canary

        return known_canary(self._model_fingerprint("masked_lm"), self._model_fingerprint("entailment"))

    def _model_fingerprint(self, role: Role) -> str:
        if getattr(self.models, role) == SHIPPED:
            files: ModelFiles = shipped_model(role)  # no need to load a model for its name
            return files.fingerprint
        model: MaskedLM | Entailment | SentenceEncoder = getattr(self, role)
        return model.fingerprint


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]
