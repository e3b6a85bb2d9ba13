"""What a text goes through without losing a word."""

import pytest

from lexprint.text.view import normalise
from lexprint_evaluation.disturbances import DISTURBANCES, reflowed, typewritten, typographic

TEXT = (
    '"It\'s a well-known café," she said -- \'not far\'... He came ("at last") to the old, half-forgotten naïve house.\n'
    "\n"
    "Another paragraph – short — and done…"
)


@pytest.mark.parametrize("name", DISTURBANCES)
def test_models_see_the_same(name: str) -> None:
    """The normalised view does not change, though the text does."""
    disturbed = DISTURBANCES[name](TEXT)
    assert normalise(disturbed) == normalise(TEXT)
    assert disturbed != TEXT or name == "NFC"


def test_each_does_what_it_says() -> None:
    """Quotes turn, lines are short, and back."""
    assert typographic("\"It's\" -- '90s...") == "“It’s” — ‘90s…"
    assert typewritten("“It’s” — ‘90s…") == "\"It's\" -- '90s..."
    assert max(map(len, reflowed(TEXT).splitlines())) <= 60
    assert "\n\n" in reflowed(TEXT)
