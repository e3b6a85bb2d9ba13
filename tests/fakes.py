"""An engine whose models are fakes: the same settings and fingerprints as the real one, and no weights."""

from lexprint.engine import Engine
from lexprint.models.protocols import Entailment, MaskedLM, SentenceEncoder
from lexprint.testing import FakeEntailment, FakeMaskedLM, FakeSentenceEncoder


class FakeEngine(Engine):
    def _load_masked_lm(self) -> MaskedLM:
        return FakeMaskedLM()

    def _load_entailment(self) -> Entailment:
        return FakeEntailment()

    def _load_sentence_encoder(self) -> SentenceEncoder:
        return FakeSentenceEncoder()

    def _model_fingerprint(self, role: str) -> str:
        return f"fake {role}"
