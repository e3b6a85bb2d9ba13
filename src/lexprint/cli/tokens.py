"""`lexprint token`: who may use the service, for what, until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from lexprint.cli import console, keys
from lexprint.cli.registry import REGISTRY
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.server.tokens import Scope, Token

app = typer.Typer(help="Make, list and revoke tokens for the service.", no_args_is_help=True)

USUAL_DAYS = 90


@app.command("new")
def new(
    name: str = typer.Argument(..., metavar="NAME", help="Whose it is, or what for."),
    scope: list[str] = typer.Option(..., "--scope", help="copies, mark, trace or admin; may be given more than once."),
    recipient: str | None = typer.Option(
        None, "--recipient", metavar="NAME", help="Whose copies alone it opens; with --scope copies."
    ),
    days: int = typer.Option(USUAL_DAYS, "--days", min=0, max=3650, help="Days until it expires; 0: never."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
) -> None:
    """Make a token; it is printed this once, and only a digest of it is kept."""
    from lexprint.registry.protocol import open_registry
    from lexprint.server.tokens import create_token

    _require_scopes(scope)
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    with open_registry(registry, keys=keys.keys_at_hand(key)) as opened:
        written, token = create_token(
            opened, name, scopes=cast("list[Scope]", scope), expires_at=expires_at, recipient=recipient
        )
    console.print_line(written)
    console.say(f"token {token.id}, {_until(token)}; keep it like a password: it is not shown again")


@app.command("link")
def link(
    url: str = typer.Option("http://127.0.0.1:8400/", "--url", help="Where the service is."),
    scope: list[str] = typer.Option(
        ["mark", "trace", "admin"], "--scope", help="mark, trace or admin; may be given more than once."
    ),
    registry: str = REGISTRY,
) -> None:
    """Make a link that signs one browser in, once, within ten minutes."""
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.server.tokens import create_link

    _require_scopes(scope)
    with open_existing_registry(registry) as opened:
        code = create_link(opened, scopes=cast("list[Scope]", scope))
    console.print_line(f"{url.rstrip('/')}/#login={code}")
    console.say("it can be used once, within ten minutes")


@app.command("list")
def list_all(registry: str = REGISTRY, as_json: bool = console.AS_JSON) -> None:
    """List tokens; revoked and expired ones too."""
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.server.tokens import list_tokens, token_json

    with open_existing_registry(registry) as opened:
        found = list_tokens(opened)
    if as_json:
        console.print_json([token_json(token) for token in found])
        return
    for token in found:
        scopes = ",".join(sorted(token.scopes))
        whose = "" if token.recipient is None else f", for {console.printable(token.recipient)}"
        console.print_line(
            f"{token.id}  {token.kind:<7}  {scopes:<16}  {_until(token):<32}  {console.printable(token.name)}{whose}"
        )
    console.say(console.counted(len(found), "token"))


@app.command("revoke")
def revoke(
    token: str = typer.Argument(..., metavar="ID", help="As lexprint token list prints it."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
) -> None:
    """End a token at once."""
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.server.tokens import revoke_token

    with open_existing_registry(registry, keys=keys.keys_at_hand(key)) as opened:
        ended = revoke_token(opened, console.printable(token))
    console.say(f"token {ended.id} is revoked")


def _require_scopes(scopes: list[str]) -> None:
    from lexprint.server.tokens import SCOPES

    for scope in scopes:
        if scope not in SCOPES:
            raise InputError(f"--scope {scope} is unknown", needed=f"one of {', '.join(SCOPES)}")


def _until(token: Token) -> str:
    if token.revoked_at is not None:
        return f"revoked on {token.revoked_at:%Y-%m-%d}"
    if token.expires_at is None:
        return "never expires"
    verb = "expires" if token.expires_at > datetime.now(UTC) else "expired"
    return f"{verb} on {token.expires_at:%Y-%m-%d %H:%M} UTC"
