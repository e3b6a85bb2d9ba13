"""BERTScore of whole texts, and the networks that give it vectors of tokens."""

from collections.abc import Sequence

import numpy as np
import pytest

from lexprint.models.protocols import Floats
from lexprint.models.sentence_encoder import OnnxSentenceEncoder
from lexprint.models.weights import shipped_model
from lexprint_evaluation.bert_score import bert_score, matching
from lexprint_evaluation.token_networks import MiniLMTokens, TokenNetwork, minilm_network

TEXT = "The old house stands near the river. Nobody has lived there since the war."


def letters(sentences: Sequence[str]) -> list[Floats]:
    """A token is its first letter: equal ones are one, others nothing to each other."""
    return [np.eye(128, dtype=np.float32)[[ord(word[0]) for word in sentence.split()]] for sentence in sentences]


def test_matching_is_the_mean_of_both_ways() -> None:
    """Each token counts by its nearest in the other sentence: recall 2/3, precision 1."""
    eye = np.eye(3, dtype=np.float32)
    assert matching(eye, eye[:2]) == pytest.approx(2 * (2 / 3) / (1 + 2 / 3))
    assert matching(eye[:1], eye[1:2]) == 0.0
    assert matching(eye, eye[:0]) == 0.0


def test_only_changed_sentences_are_read() -> None:
    """The others count one, and one that is lost counts nothing."""
    read: list[str] = []

    def remembered(sentences: Sequence[str]) -> list[Floats]:
        read.extend(sentences)
        return letters(sentences)

    network = TokenNetwork("letters", remembered)
    assert bert_score(TEXT, TEXT, network) == 1.0
    assert not read
    changed = bert_score(TEXT, TEXT.replace("old", "big"), network)
    assert changed == pytest.approx((6 / 7 + 1) / 2)
    assert len(read) == 2
    assert bert_score(TEXT, "The old house stands near the river.", network) == pytest.approx(0.5)
    assert bert_score("", "", network) == 1.0


def test_states_lead_to_what_the_encoder_says() -> None:
    """The last layer's mean, scaled to length one, is the shipped sentence vector but for its grid."""
    sentences = ["They bought a large house.", "Nobody has lived there since the war."]
    means = np.stack([states.mean(axis=0) for states in MiniLMTokens(layer=6).states(sentences)])
    known = OnnxSentenceEncoder(shipped_model("sentence_encoder")).encode(sentences)
    cosines = (means * known).sum(axis=1) / np.linalg.norm(means, axis=1) / np.linalg.norm(known, axis=1)
    assert cosines == pytest.approx(np.ones(2), abs=1e-3)


def test_a_synonym_costs_less_than_another_word() -> None:
    """With the network that is always there."""
    network = minilm_network()
    synonym = bert_score("They bought a large house.", "They bought a big house.", network)
    other = bert_score("They bought a large house.", "They bought a cheap tractor.", network)
    assert other < synonym < 1.0
