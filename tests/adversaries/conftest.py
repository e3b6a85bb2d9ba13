"""What those who attack use: the command line, as anybody would."""

from tests.cli.conftest import run, run_shipped  # noqa: F401 # fixtures
