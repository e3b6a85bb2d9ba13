"""What tests of the service share."""

import time
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.workflows.patient import PatientEngine

from lexprint.settings import load_settings

TIMEOUT_SECONDS = 60.0

on_both_databases = pytest.mark.parametrize("registry", ["sqlite", "postgresql"], indirect=True)


def fake_engine() -> PatientEngine:
    """Few proposals and a low floor, so that the fakes agree with each other often."""
    arguments = {"substitution.proposals": 8, "substitution.entailment_floor": 0.85}
    return PatientEngine(settings=load_settings(environment={}, arguments=arguments))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def wait_for(client: TestClient, job: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The job once it is finished."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        found: dict[str, Any] = client.get(f"/v1/jobs/{job['id']}", **options).json()
        if found["state"] in ("done", "failed", "cancelled"):
            return found
        time.sleep(0.02)
    raise AssertionError(f"the job is still {found['state']}")
