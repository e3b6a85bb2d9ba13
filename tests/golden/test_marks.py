"""A change that moves a mark moves the fingerprint too, or texts that are out would be misread."""

import json

from tests.golden.marks import FILE, marks

ADVICE = "if this was meant, raise `edition` in substitution/acceptance.json and run: python -m tests.golden"


def test_marks_are_where_they_were() -> None:
    """The same text, the same marks, the same name for what made them."""
    assert marks() == json.loads(FILE.read_text("utf-8")), ADVICE
