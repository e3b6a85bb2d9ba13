"""Timestamps by an authority of our own: what is asked, what is believed, what is refused."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.registry.registered import copies, record
from tests.reports.authority import Authority, serving
from tests.reports.reports import report_of

from lexprint.coding.keys import MasterKey
from lexprint.errors import InputError, RegistryError, ReportError, TimestampError
from lexprint.registry.protocol import Registry
from lexprint.reports import timestamps
from lexprint.reports.signed_file import read_report, report_bytes, sign, stamp, stamped_bytes
from lexprint.reports.timestamps import (
    claimed_time,
    last_stamped,
    read_certificates,
    request_timestamp,
    stamp_log,
    verified_time,
)

LAST_YEAR = datetime(2025, 5, 1, 12, tzinfo=UTC)
OTHER = Authority("Another")
GOOD = Authority(at=LAST_YEAR)
KEY = MasterKey.generate()


@pytest.fixture(scope="module")
def stamped() -> bytes:
    with serving(GOOD) as url:
        return request_timestamp(b"some bytes", url)


@pytest.fixture
def authority() -> Authority:
    return Authority()


@pytest.fixture
def url(authority: Authority) -> Iterator[str]:
    with serving(authority) as url:
        yield url


def test_the_authority_s_clock_counts(stamped: bytes) -> None:
    """Not ours."""
    assert claimed_time(stamped) == verified_time(stamped, b"some bytes", [OTHER.root, GOOD.root]) == LAST_YEAR


def test_only_a_digest_is_sent(stamped: bytes) -> None:
    """The authority never sees what it stamps."""
    assert GOOD.asked
    assert not [query for query in GOOD.asked if b"some bytes" in query]


def test_other_programs_verify_it(stamped: bytes, tmp_path: Path) -> None:
    """OpenSSL, where it is there."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl")
    for name, content in (("answer", stamped), ("data", b"some bytes"), ("root.pem", GOOD.root_pem)):
        (tmp_path / name).write_bytes(content)
    command = [program, "ts", "-verify", "-in", "answer", "-data", "data", "-CAfile", "root.pem"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Verification: OK" in done.stdout, done.stderr


def test_what_does_not_fit_is_refused(stamped: bytes) -> None:
    """Other bytes, another authority, no answer at all."""
    for timestamp, content, root in (
        (stamped, b"other bytes", GOOD.root),
        (stamped, b"some bytes", OTHER.root),
        (b"", b"some bytes", GOOD.root),
        (b"0\x03\x02\x01\x05", b"some bytes", GOOD.root),
    ):
        with pytest.raises(TimestampError):
            verified_time(timestamp, content, [root])
    with pytest.raises(TimestampError):
        claimed_time(b"nothing")


@given(st.data())
def test_no_bit_of_what_was_signed_can_be_flipped(stamped: bytes, data: st.DataObject) -> None:
    """A changed timestamp is refused, or still says the same: parts of it, such as a name for people, are not signed."""
    place = data.draw(st.integers(0, 8 * len(stamped) - 1))
    changed = bytearray(stamped)
    changed[place // 8] ^= 1 << place % 8
    with suppress(TimestampError):
        assert verified_time(bytes(changed), b"some bytes", [GOOD.root]) == LAST_YEAR


def test_authorities_that_fail(url: str, authority: Authority, stamped: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonsense, an answer to another request, one that never ends, nobody there, no address."""
    for answer, said in (
        (b"<html>", "no timestamp"),
        (stamped, "does not match the request"),
        (bytes(2 << 20), "too long"),
    ):
        authority.answer = answer
        with pytest.raises(TimestampError, match=said):
            request_timestamp(b"some bytes", url)
    monkeypatch.setattr(timestamps, "TIMEOUT_SECONDS", 0.5)
    with pytest.raises(TimestampError, match="did not answer"):
        request_timestamp(b"some bytes", "http://127.0.0.1:9/")
    with pytest.raises(InputError, match="no web address"):
        request_timestamp(b"some bytes", "file:///etc/passwd")


def test_certificates() -> None:
    """Several in one file; other files are refused by name."""
    assert read_certificates(GOOD.root_pem + OTHER.root_pem, name="roots.pem") == [GOOD.root, OTHER.root]
    with pytest.raises(InputError, match=r"roots\.pem"):
        read_certificates(b"nothing", name="roots.pem")


def test_reports_are_stamped(url: str, authority: Authority) -> None:
    """The stamp is of the whole signed file, survives it, and fits no other report."""
    signed = sign(report_of(), KEY)
    made = read_report(report_bytes(stamp(signed, url)))
    assert made.timestamp is not None
    assert replace(made, timestamp=None) == signed
    assert datetime.now(UTC) - verified_time(made.timestamp, stamped_bytes(made), [authority.root]) < timedelta(
        minutes=5
    )
    other = sign(replace(report_of(), compared=7), KEY)
    with pytest.raises(TimestampError):
        verified_time(made.timestamp, stamped_bytes(replace(other, timestamp=made.timestamp)), [authority.root])
    with pytest.raises(ValueError, match="contradicts itself"):
        replace(made, signature=None)
    with pytest.raises(ReportError, match="corrupt"):
        read_report(report_bytes(made).replace(b'"timestamp":"', b'"timestamp":"*'))


def test_the_log_is_stamped(registry: Registry, url: str, authority: Authority) -> None:
    """Its last entry, and so all before; that is an entry of its own."""
    with pytest.raises(RegistryError, match="is empty"):
        stamp_log(registry, url)
    registry.add_document(record(1), copies(1, 1, 2))
    assert last_stamped(registry.audit(), [authority.root]) is None
    authority.at = LAST_YEAR
    stamp_log(registry, url)
    registry.record_event("does not match the request", {})
    assert last_stamped(registry.audit(), [authority.root]) == (2, LAST_YEAR)
    stamp_log(registry, url)
    assert last_stamped(registry.audit(), [authority.root]) == (4, LAST_YEAR)
    with pytest.raises(TimestampError):
        last_stamped(registry.audit(), [OTHER.root])
    assert registry.verify_audit() is None
