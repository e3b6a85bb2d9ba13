"""Fixtures of the core's tests that these use too."""

from tests.cli.conftest import folder, prose, run
from tests.conftest import letter, tale

__all__ = ["folder", "letter", "prose", "run", "tale"]
