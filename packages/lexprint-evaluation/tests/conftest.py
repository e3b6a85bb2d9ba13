"""Fixtures of the core's tests that these use too."""

from tests.cli.conftest import folder, prose, run, run_shipped
from tests.conftest import letter, models_loaded_once, readers_started_once, tale

__all__ = ["folder", "letter", "models_loaded_once", "prose", "readers_started_once", "run", "run_shipped", "tale"]
