"""The shipped sentence encoder puts like sentences near each other."""

import numpy as np
import pytest

from lexprint.models.sentence_encoder import OnnxSentenceEncoder
from lexprint.models.weights import shipped_model


@pytest.fixture(scope="module")
def encoder() -> OnnxSentenceEncoder:
    return OnnxSentenceEncoder(shipped_model("sentence_encoder"))


def test_vectors_have_length_one(encoder: OnnxSentenceEncoder) -> None:
    """Inner products are cosines."""
    vectors = encoder.encode(["A short one.", "A somewhat longer sentence.", ""])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=2e-3)


def test_inner_products_are_exact(encoder: OnnxSentenceEncoder) -> None:
    """They have the same bits in any order of adding up, so every machine finds the same cosine."""
    one, other = encoder.encode(["He bought a big house.", "He bought a large house."])
    assert float(one @ other) == float(one.astype(np.float64) @ other) == float(one[::-1] @ other[::-1])


def test_paraphrases_are_near(encoder: OnnxSentenceEncoder) -> None:
    """A synonym moves a sentence less than another subject does."""
    one, near, far = encoder.encode(["He bought a big house.", "He bought a large house.", "The sky was grey at noon."])
    assert one @ near > 0.9 > 0.4 > one @ far


def test_any_length_is_encoded(encoder: OnnxSentenceEncoder) -> None:
    """Long texts are cut where the model ends, and no text gives no vectors."""
    assert encoder.encode(["word " * 3000]).shape == (1, 384)
    assert encoder.encode([]).shape == (0, 384)
