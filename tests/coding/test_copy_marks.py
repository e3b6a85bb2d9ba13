"""Marks of blind copies: fair coins that no two copies share."""

from random import Random

import numpy as np
import pytest
from tests.tracing.masters import salts

from lexprint.coding.copy_marks import mark_writer, marks

SECRET = b"a secret of thirty-two bytes, no"
LABELS = [f"label {number}".encode() for number in range(2_000)]


def test_marks_never_change() -> None:
    """Published values: copies that were issued must stay readable."""
    rows = marks(SECRET, salts([1, 2]), LABELS[:16])
    assert ["".join(map(str, row)) for row in rows.tolist()] == ["0110000000010111", "1101000111000011"]


def test_writer_and_reader_agree() -> None:
    """What is written is what is compared."""
    write = mark_writer(SECRET, salts([7])[0])
    assert [write(label) for label in LABELS] == marks(SECRET, salts([7]), LABELS)[0].tolist()


def test_copies_documents_and_labels_have_nothing_in_common() -> None:
    """Half of the coins are ones; half differ between two copies, and between the same copy of two documents."""
    one, two = marks(SECRET, salts([1, 2]), LABELS)
    other = marks(SECRET + b"x", salts([1]), LABELS)[0]
    for share in (np.mean(one), np.mean(one != two), np.mean(one != other)):
        assert abs(float(share) - 0.5) < 5 * 0.5 / len(LABELS) ** 0.5


def test_three_who_mix_theirs_point_to_nobody() -> None:
    """What the fewest of three hold, word by word, agrees with the other copies as coins do."""
    random = Random(3)
    held = marks(SECRET, salts(range(200)), LABELS[:400])
    for _ in range(20):
        guilty = random.sample(range(200), 3)
        mixed = held[guilty].sum(axis=0) % 2
        agreeing = (np.delete(held, guilty, axis=0) == mixed).sum(axis=1)
        assert agreeing.max() < 200 + 6 * 10  # six standard deviations


def test_a_secret_is_needed() -> None:
    with pytest.raises(ValueError, match="need a secret"):
        marks(b"", salts([1]), LABELS)
