"""Settings to loaded models: the only place that builds them.

A model is loaded when it is first asked, so a command that needs one of the three does not wait for the others.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from lexprint import __version__
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
        if self.models.masked_lm != SHIPPED:
            from lexprint.models.torch_backend import HubMaskedLM

            return HubMaskedLM(self.models.masked_lm, batch_size=self.batch_size)
        from lexprint.models.masked_lm import OnnxMaskedLM

        return OnnxMaskedLM(shipped_model("masked_lm"), threads=self.threads, batch_size=self.batch_size)

    @cached_property
    def entailment(self) -> Entailment:
        if self.models.entailment != SHIPPED:
            from lexprint.models.torch_backend import HubEntailment

            return HubEntailment(self.models.entailment, batch_size=self.batch_size)
        from lexprint.models.entailment import OnnxEntailment

        return OnnxEntailment(shipped_model("entailment"), threads=self.threads, batch_size=self.batch_size)

    @cached_property
    def sentence_encoder(self) -> SentenceEncoder:
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
        """The same models with other settings, and a memory of its own: that of a substituter is for one thread."""
        twin = replace(self, settings=settings)
        for name in ("masked_lm", "entailment"):
            vars(twin)[name] = getattr(self, name)  # where a cached property looks first
        if (encoder := vars(self).get("sentence_encoder")) is not None:
            vars(twin)["sentence_encoder"] = encoder
        return twin

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that stand for models, settings, lexicon, word lists and formula."""
        parts = (
            self._model_fingerprint("masked_lm"),
            self._model_fingerprint("entailment"),
            self._model_fingerprint("sentence_encoder"),
            self.settings.fingerprint,
            lexicon_digest(),
            acceptance_digest(),
            word_lists_digest(),
            lists_digest(),
        )
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]

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

    def _model_fingerprint(self, role: Literal["masked_lm", "entailment", "sentence_encoder"]) -> str:
        if getattr(self.models, role) == SHIPPED:
            files: ModelFiles = shipped_model(role)  # no need to load a model for its name
            return files.fingerprint
        model: MaskedLM | Entailment | SentenceEncoder = getattr(self, role)
        return model.fingerprint
