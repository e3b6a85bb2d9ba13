"""A service that was given a timestamp authority has every report stamped."""

from datetime import UTC, datetime

from cryptography.x509 import load_pem_x509_certificate
from starlette.testclient import TestClient
from tests.reports.authority import Authority, serving
from tests.server.served import bearer, fake_engine
from tests.workflows.leaks import issue

from lexprint.coding.keys import Keyring
from lexprint.registry.protocol import Registry
from lexprint.reports.signed_file import read_report, stamped_bytes
from lexprint.reports.timestamps import verified_time
from lexprint.server.app import create_app
from lexprint.server.tokens import create_token

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)


def test_reports_of_the_service_are_stamped(registry: Registry, keyring: Keyring) -> None:
    """The stamp is of this report, and is kept with it; without the authority's answer there is no report."""
    leak = issue(registry, copies=5).copy(3)
    authority = Authority(at=NOON)
    token, _ = create_token(registry, "tracer", scopes={"trace"})
    with serving(authority) as url:
        app = create_app(fake_engine(), registry, keyring=keyring, authority=url)
        with TestClient(app, base_url="http://localhost", headers=bearer(token)) as client:
            traced = client.post("/v1/trace", json={"text": leak}).json()
            authority.answer = b"?"
            refused = client.post("/v1/trace", json={"text": leak})
    assert (refused.status_code, refused.json()["code"]) == (502, "TimestampError")
    (kept,) = registry.reports()
    assert kept.id == traced["report"]["id"]
    report = read_report(registry.report(kept.id).text.encode())
    assert report.timestamp is not None
    assert (
        verified_time(report.timestamp, stamped_bytes(report), [load_pem_x509_certificate(authority.root_pem)]) == NOON
    )
