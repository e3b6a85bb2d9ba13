"""Whatever the schema allows, and much that it does not: the service answers as it says, and never breaks."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.test_jobs import free_port, running

from lexprint.coding.keys import create_key_file
from lexprint.registry.protocol import open_registry
from lexprint.server.tokens import SCOPES, create_token

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = 15  # of each kind, for each operation


@pytest.mark.slow
def test_the_service_keeps_to_its_schema(tmp_path: Path) -> None:
    """No server error, no undocumented status or type, no answer of another shape."""
    create_key_file(tmp_path / "lexprint.key")
    port = free_port()
    with open_registry(str(tmp_path / "lexprint.db")) as registry:
        token, _ = create_token(registry, "schemathesis", scopes=set(SCOPES))
    with running(tmp_path, port):
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port}/v1/openapi.json"]
        options = ["--checks", CHECKS, "--max-examples", str(EXAMPLES), "--exclude-path-regex", "events$"]
        options += ["--header", f"Authorization: Bearer {token}"]
        finished = subprocess.run(
            [*command, *options, "--seed", "1", "--phases", "examples,coverage,fuzzing", "--request-timeout", "60"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert "Authentication failed" not in finished.stdout
    assert finished.returncode == 0, finished.stdout[-8000:] + finished.stderr[-2000:]
