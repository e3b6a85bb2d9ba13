"""`make test` says the same of the same code every time; `make slow` looks further."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

MAKEFILE = (Path(__file__).parent.parent / "Makefile").read_text("utf-8")


def test_examples_are_drawn_alike_every_time() -> None:
    """No seed of hypothesis differs from run to run, unless the profile `random` is asked for."""
    assert settings.get_profile("lexprint").derandomize
    assert not settings.get_profile("random").derandomize
    assert settings.get_profile("random").max_examples > settings.get_profile("lexprint").max_examples


@given(st.none())
def test_drawn_examples_are_marked(drawn: None) -> None:
    """The mark by which `make slow` finds them is given to each; this one has it."""
    assert drawn is None


def test_the_mark_is_given(request: pytest.FixtureRequest) -> None:
    """To the test above, and not to this one."""
    marked = {item.name: item.get_closest_marker("drawn") is not None for item in request.session.items}
    assert marked.get("test_drawn_examples_are_marked", True)
    assert not marked["test_the_mark_is_given"]


def test_ten_other_seeds_are_tried() -> None:
    """By `make slow`; `make test` has one, which can be given."""
    assert "for seed in 1 2 3 4 5 6 7 8 9 10;" in MAKEFILE
    assert "--hypothesis-profile=random --hypothesis-seed=$$seed" in MAKEFILE
    assert "--randomly-seed=$(SEED)" in MAKEFILE
