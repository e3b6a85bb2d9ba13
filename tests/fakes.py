"""An engine whose models are fakes: the same settings and fingerprints as the real one, and no weights."""

from functools import cached_property

from lexprint.engine import Engine
from lexprint.models.protocols import Entailment, MaskedLM, SentenceEncoder
from lexprint.testing import FakeEntailment, FakeMaskedLM, FakeSentenceEncoder


class FakeEngine(Engine):
    @cached_property
    def masked_lm(self) -> MaskedLM:
        return FakeMaskedLM()

    @cached_property
    def entailment(self) -> Entailment:
        return FakeEntailment()

    @cached_property
    def sentence_encoder(self) -> SentenceEncoder:
        return FakeSentenceEncoder()

    def _model_fingerprint(self, role: str) -> str:
        return f"fake {role}"
