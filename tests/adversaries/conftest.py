"""What those who attack use: the command line, as anybody would."""

from tests.cli.conftest import run  # noqa: F401 # a fixture
