"""What those who attack use: the command line, as anybody would, and the owner's folder."""

from pathlib import Path

import pytest
from tests.cli.conftest import run, run_shipped  # noqa: F401 # fixtures

from lexprint.coding.keys import Keyring, create_key_file


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """The owner's, in the working folder."""
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY", "LEXPRINT_AUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return create_key_file(tmp_path / "lexprint.key")
