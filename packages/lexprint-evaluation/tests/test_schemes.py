"""Ways of marking by name, on fakes."""

from random import Random

import pytest
from tests.fakes import FakeEngine

from lexprint.errors import InputError
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint_evaluation.metrics import bit_errors
from lexprint_evaluation.schemes import MarkingScheme, schemes

TEXT = fake_text(words=300, seed=5)
LONG_TEXT = fake_text(words=800, seed=5)
BITS = Random(2).choices((0, 1), k=800)


def only(name: str) -> MarkingScheme:
    (scheme,) = schemes(FakeEngine(), [name])
    return scheme


@pytest.mark.parametrize("name", ["lexprint", "paper", "paper-f2", "lexprint-f3"])
def test_a_reader_finds_what_was_written(name: str) -> None:
    """Another scheme of the same name reads every bit, and the edits lead to the marked text."""
    marked = only(name).embed(TEXT, BITS)
    assert marked.bits
    assert marked.bits == tuple(BITS[: len(marked.bits)])
    assert apply_edits(TEXT, marked.edits) == marked.text != TEXT
    assert only(name).extract(marked.text) == marked.bits


@pytest.mark.parametrize("test", ["synchronicity", "substitutability"])
def test_bits_are_lost_without_a_test(test: str) -> None:
    """Each test is there for a reason."""
    scheme = only(f"paper-without-{test}")
    marked = scheme.embed(LONG_TEXT, BITS)
    assert bit_errors(marked.bits, scheme.extract(marked.text)) > 0


def test_few_bits_leave_the_rest_alone() -> None:
    """Two bits go to the first two sites; later words stay as they were."""
    marked = only("paper").embed(TEXT, BITS[:2])
    assert marked.bits == tuple(BITS[:2])
    assert len(marked.edits) <= 2
    assert marked.text[-700:] == TEXT[-700:]


def test_names_are_kept_in_order() -> None:
    """One scheme for each name; profiles differ in where they mark, gaps in how often."""
    names = ["paper-f3", "lexprint", "paper"]
    found = schemes(FakeEngine(), names)
    assert [scheme.name for scheme in found] == names
    wide, own, narrow = (len(scheme.embed(TEXT, BITS).bits) for scheme in found)
    assert 0 < wide < narrow
    assert own > 0


@pytest.mark.parametrize("name", ["papyrus", "paper-f0", "paper-without-sense", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    """The message says which there are."""
    with pytest.raises(InputError, match="without-synchronicity"):
        schemes(FakeEngine(), [name])
