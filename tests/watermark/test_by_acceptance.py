"""Words that readers accept: what cannot be accepted any more is not asked about."""

import pytest
from hypothesis import given, strategies as st

from lexprint.settings import find_profile
from lexprint.substitution.acceptance import mutual_acceptance
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.text.document import Document
from lexprint.watermark.by_acceptance import ByAcceptance
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import paper_scheme

logits = st.floats(-20, 20, width=32)
CANDIDATES = st.builds(Candidate, st.just("word"), st.floats(-20, 0, width=32), acceptable=logits, good=logits)


@given(CANDIDATES, CANDIDATES, st.floats(0, 1, width=32))
def test_the_way_back_adds_nothing(there: Candidate, back: Candidate, entailment: float) -> None:
    """An exchange is never accepted more than one whose way back is as good, at the best SR there is."""
    most = max(mutual_acceptance(there, there, entailment=sr) for sr in (0.0, 1.0))
    assert mutual_acceptance(there, back, entailment=entailment) <= most


def test_hopeless_partners_are_not_asked(document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sites with fewer questions."""
    settings = find_profile("lexprint")

    def read() -> tuple[object, int]:
        masked_lm = FakeMaskedLM()
        substituter = Substituter(masked_lm, FakeEntailment(), settings.substitution)
        scheme = paper_scheme(substituter, fingerprint="fakes", settings=settings.watermark)
        return extract(document, scheme).sites, masked_lm.inputs

    sites, asked = read()
    monkeypatch.setattr(ByAcceptance, "_may_suffice", lambda self, one: True)
    same, more = read()
    assert sites == same != ()
    assert asked < more
