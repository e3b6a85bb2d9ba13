"""Schemes on fakes."""

import pytest

from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.scheme import Scheme, paper_scheme


@pytest.fixture
def masked_lm() -> FakeMaskedLM:
    return FakeMaskedLM()


@pytest.fixture
def entailment() -> FakeEntailment:
    return FakeEntailment()


@pytest.fixture
def scheme(masked_lm: FakeMaskedLM, entailment: FakeEntailment) -> Scheme:
    """The paper's tests with few candidates."""
    substituter = Substituter(masked_lm, entailment, SubstitutionSettings(proposals=8))
    return paper_scheme(substituter, fingerprint="fakes", settings=WatermarkSettings(gap=1))


@pytest.fixture(scope="session")
def document() -> Document:
    """Some six hundred words that the fakes know."""
    return segment(fake_text(words=600, seed=11))
