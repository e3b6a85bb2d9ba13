"""A program that uses the tools of `lexprint mcp` has read a hostile document, and does what it says."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FakeEngine

from lexprint import Keyring, Lexprint
from lexprint.coding.keys import create_key_file
from lexprint.errors import InputError
from lexprint.testing import fake_text

tool_server = pytest.importorskip("lexprint.cli.tool_server", reason="the extra mcp is missing")


@pytest.fixture
def verbs(tmp_path: Path) -> Iterator[Any]:
    """The tools on a folder that holds key and registry, as where `lexprint mcp` is started beside them."""
    create_key_file(tmp_path / "lexprint.key")
    (tmp_path / "memo.txt").write_text(fake_text(words=100, seed=1))
    keys = Keyring.load(tmp_path / "lexprint.key")
    with Lexprint(registry=tmp_path / "lexprint.db", keys=keys, engine=FakeEngine()) as lexprint:
        yield tool_server._Verbs(lexprint, tmp_path.resolve())


@pytest.mark.parametrize("name", ["lexprint.key", "notes.txt"])
def test_the_key_is_no_document(verbs: Any, tmp_path: Path, name: str) -> None:
    """Whatever it is called: no tool reads it, marks it or writes it out under another name, for all to see."""
    if name != "lexprint.key":
        (tmp_path / name).write_bytes(b"\n" + (tmp_path / "lexprint.key").read_bytes())
    asked: list[Callable[[], object]] = [
        lambda: verbs.recover(file=name, out="copy.txt"),
        lambda: verbs.embed(file=name, out="copy.txt", message="hi"),
        lambda: verbs.issue(file=name, recipients=["Mallory"], out="copies"),
        lambda: verbs.trace(file=name),
        lambda: verbs.analyse(file=name),
    ]
    for ask in asked:
        with pytest.raises(InputError, match="holds a key"):
            ask()
    assert not (tmp_path / "copy.txt").exists()


def test_what_tools_write_is_for_their_user_alone(verbs: Any, tmp_path: Path) -> None:
    """A private document is not opened to others by writing it again."""
    (tmp_path / "memo.txt").chmod(0o600)
    old = os.umask(0)
    try:
        verbs.recover(file="memo.txt", out="copy.txt")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "copy.txt").stat().st_mode) == 0o600
