"""Tokens: shown once, kept as digests, scoped, expiring, revocable; on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lexprint.errors import InputError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.tokens import UnknownToken, create_token, find_token, list_tokens, revoke_token


@pytest.fixture
def registry(location: str) -> Iterator[Registry]:
    """An empty registry in either database."""
    with open_registry(location) as opened:
        yield opened


def now() -> datetime:
    return datetime.now(UTC)


def test_a_token_is_found_by_itself_alone(registry: Registry) -> None:
    """Neither its id nor a token that differs in its last characters opens anything."""
    written, token = create_token(registry, "press office", scopes={"mark", "trace"})
    assert find_token(registry, written) == token
    assert token.is_valid(now())
    for other in (token.id, written[:-2], f"{written[:-2]}{'AA' if written[-2:] != 'AA' else 'BB'}", "", "lxp_é"):
        assert find_token(registry, other) is None


def test_only_a_digest_is_kept(registry: Registry) -> None:
    """Whoever reads the database cannot use the service."""
    written, token = create_token(registry, "reader", scopes={"trace"})
    with registry.reading() as statements:
        stored = str(statements.rows("SELECT * FROM tokens"))
    secret = written.removeprefix(f"lxp_{token.id}_")
    assert token.id in stored
    assert secret not in stored
    assert secret not in repr(token) + str(registry.audit())


def test_tokens_end(registry: Registry) -> None:
    """By their date, or at once when revoked; both stay on the list and in the log."""
    expiring, _ = create_token(registry, "guest", scopes={"mark"}, expires_at=now() + timedelta(hours=1))
    guest = find_token(registry, expiring)
    assert guest is not None
    assert guest.is_valid(now())
    assert not guest.is_valid(now() + timedelta(hours=2))
    written, token = create_token(registry, "leaver", scopes={"admin"})
    revoked = revoke_token(registry, token.id)
    assert revoke_token(registry, token.id) == revoked == find_token(registry, written)
    assert not revoked.is_valid(now())
    assert [one.name for one in list_tokens(registry)] == ["guest", "leaver"]
    assert [entry.event for entry in registry.audit()] == ["token created", "token created", "token revoked"]
    assert registry.verify_audit() is None


def test_wrong_requests_are_refused(registry: Registry) -> None:
    """No scope, an unknown one, a date that has passed, an id that nobody has."""
    for scopes in (set[str](), {"mark", "root"}):
        with pytest.raises(InputError, match="scopes"):
            create_token(registry, "x", scopes=scopes)  # type: ignore[arg-type] # what a user may type
    with pytest.raises(InputError, match="expired"):
        create_token(registry, "x", scopes={"mark"}, expires_at=now() - timedelta(seconds=1))
    with pytest.raises(UnknownToken, match="lexprint token list"):
        revoke_token(registry, "0" * 12)
    assert list_tokens(registry) == []


def test_a_failed_transaction_leaves_nothing(registry: Registry) -> None:
    """Rows and log entries stand or fall together."""

    def half_done() -> None:
        with registry.writing() as statements:
            statements.change(
                "INSERT INTO tokens (id, kind, name, hash, scopes, created_at) VALUES ('a', 'api', 'b', 'c', 'd', 'e')"
            )
            statements.log("token created", {"token": "a"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()
    assert list_tokens(registry) == []
    assert registry.audit() == []
