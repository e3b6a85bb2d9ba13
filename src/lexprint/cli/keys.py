"""`lexprint key`: make, list, rotate and publish master keys; what is secret of a key is never printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.errors import SecretError

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring, MasterKey

app = typer.Typer(help="Create, list and rotate master keys; print public keys.", no_args_is_help=True)

KEY = typer.Option(
    None, "--key", metavar="FILE", help="Key file; else LEXPRINT_KEY, LEXPRINT_KEY_FILE or lexprint.key in this folder."
)
_FILE = typer.Argument(None, metavar="FILE", help="Key file; else LEXPRINT_KEY_FILE or lexprint.key in this folder.")


def load_keys(path: Path | None) -> Keyring:
    """The keys that the user means."""
    from lexprint.coding.keys import load_keyring

    return load_keyring(path, environment=os.environ)


def keys_at_hand(path: Path | None) -> Keyring | None:
    """The keys that the user means; None if there are none, which is no error unless they were asked for."""
    from lexprint.coding.keys import DEFAULT_KEY_FILE, KEY_FILE_VARIABLE, KEY_VARIABLE

    is_named = path is not None or KEY_VARIABLE in os.environ or bool(os.environ.get(KEY_FILE_VARIABLE))
    return load_keys(path) if is_named or os.path.lexists(DEFAULT_KEY_FILE) else None


@app.command("new")
def new(path: Path | None = _FILE) -> None:
    """Make a new key, in a new file that only you can read.

    Keep a copy in a safe place: without the key, what it marked cannot be read.
    """
    from lexprint.coding.keys import create_key_file

    path = path or _usual_path()
    key = create_key_file(path).newest
    console.print_line(key.id)
    console.say(f"key {key.id} is in {path}; keep a copy of that file in a safe place")


@app.command("list")
def list_keys(path: Path | None = _FILE, as_json: bool = console.AS_JSON) -> None:
    """List keys by id and date, newest first; the first one writes, all of them read."""
    keyring = load_keys(path)
    if as_json:
        console.print_json([{"id": key.id, "created_at": _date(key)} for key in keyring])
        return
    for key in keyring:
        console.print_line(f"{key.id}  {_date(key)}")


@app.command("public")
def public(path: Path | None = _FILE, as_json: bool = console.AS_JSON) -> None:
    """Print the public keys that verify your reports, newest first, as PEM with fingerprints.

    Publish them where your readers can trust the source; older keys verify reports from before a rotation.
    """
    keyring = load_keys(path)
    if as_json:
        console.print_json(
            [
                {"id": key.id, "fingerprint": key.public_key.fingerprint, "public_key": key.public_key.pem}
                for key in keyring
            ]
        )
        return
    for key in keyring:
        console.print_line(f"key {key.id}, made {_date(key)}, fingerprint (SHA-256):\n{key.public_key.fingerprint}")
        console.print_line(key.public_key.pem)


@app.command("rotate")
def rotate(path: Path | None = _FILE) -> None:
    """Add a new key that writes from now on; the old ones still read.

    Texts that are marked already stay readable as long as their key is in the file.
    """
    from lexprint.coding.keys import KEY_VARIABLE, rotate_key_file

    if path is None and KEY_VARIABLE in os.environ:
        raise SecretError(f"the key is in the variable {KEY_VARIABLE}", needed="a key file; name it")
    path = path or _usual_path()
    keyring = rotate_key_file(path)
    console.print_line(keyring.newest.id)
    console.say(f"key {keyring.newest.id} writes from now on; {path} holds {console.counted(len(keyring), 'key')}")


def _usual_path() -> Path:
    from lexprint.coding.keys import DEFAULT_KEY_FILE, KEY_FILE_VARIABLE

    return Path(os.environ.get(KEY_FILE_VARIABLE) or DEFAULT_KEY_FILE)


def _date(key: MasterKey) -> str:
    return key.created_at.strftime("%Y-%m-%d %H:%M:%S UTC")
