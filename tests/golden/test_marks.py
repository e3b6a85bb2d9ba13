"""A change that moves a mark moves the fingerprint too, or texts that are out would be misread."""

import json

from tests.golden.marks import FILE, canaries, marks, shipped

from lexprint.models.canary import KNOWN

ADVICE = "if this was meant, raise `edition` in substitution/acceptance.json and run: python -m tests.golden"


def test_marks_are_where_they_were() -> None:
    """The same text, the same marks, the same name for what made them."""
    assert marks() == json.loads(FILE.read_text("utf-8")), ADVICE


def test_it_is_known_what_the_models_answer() -> None:
    """A machine that answers otherwise is told from a sound one by the fingerprint alone."""
    assert canaries() == json.loads(KNOWN.read_text("utf-8")), ADVICE
    assert shipped().known_canary == shipped().canary
