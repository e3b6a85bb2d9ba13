"""Keys are kept where only their owner can read them, and show nothing but their id."""

import copy
import os
import pickle
import stat
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from lexprint.coding.keys import Keyring, MasterKey, create_key_file, load_keyring, rotate_key_file
from lexprint.errors import SecretError

DAY = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)
KEY = MasterKey(b"sixteen bytes and sixteen more..", created_at=DAY)

posix = pytest.mark.skipif(os.name != "posix", reason="there are no permissions to check")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "owner.key"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_derived_keys_are_hkdf() -> None:
    """As RFC 5869 says, computed here with HMAC alone."""
    import hashlib
    import hmac

    secret = b"sixteen bytes and sixteen more.."
    extracted = hmac.digest(bytes(32), secret, hashlib.sha256)
    parts = (b"lexprint master key 1", b"payload", b"minutes")
    info = b"".join(len(part).to_bytes(4) + part for part in parts)
    first = hmac.digest(extracted, info + b"\1", hashlib.sha256)
    assert KEY.derive("payload", document="minutes") == first


@given(st.tuples(st.text(min_size=1), st.text()), st.tuples(st.text(min_size=1), st.text()))
def test_every_purpose_and_document_has_its_own_key(one: tuple[str, str], other: tuple[str, str]) -> None:
    """No two of them share a key, however their names run together."""
    derived = [KEY.derive(purpose, document=document) for purpose, document in (one, other)]
    assert (derived[0] == derived[1]) == (one == other)


def test_a_key_needs_a_purpose_and_its_length() -> None:
    """A key for anything, or a short one, is a mistake."""
    with pytest.raises(ValueError, match="purpose"):
        KEY.derive("")
    with pytest.raises(ValueError, match="32 bytes"):
        MasterKey(b"short", created_at=DAY)


def test_the_secret_is_never_shown() -> None:
    """Neither alone nor within others; it is not pickled or copied."""
    for shown in (repr(KEY), str(KEY), f"{KEY}", repr(Keyring((KEY,))), repr([KEY])):
        assert KEY.id in shown
        assert "sixteen" not in shown
        assert KEY.written_out().rpartition(".")[2] not in shown
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled") as caught:
            attempt(KEY)
        assert "sixteen" not in str(caught.value)
    assert not hasattr(KEY, "__dict__")


def test_equal_keys_are_equal() -> None:
    """By their secret, not by when they were made."""
    assert MasterKey(b"sixteen bytes and sixteen more..", created_at=datetime.now(UTC)) == KEY
    assert len({KEY, MasterKey(bytes(32), created_at=DAY)}) == 2
    assert KEY.id != KEY


def test_a_new_file_is_private_and_reads_back(path: Path) -> None:
    """Whatever the mask allows, only the owner may read it."""
    old = os.umask(0)
    try:
        keyring = create_key_file(path)
    finally:
        os.umask(old)
    assert mode(path) == 0o600 or os.name != "posix"
    assert load_keyring(path, environment={}) == keyring
    assert keyring.newest.id in path.read_text()


def test_a_file_is_never_overwritten(path: Path, tmp_path: Path) -> None:
    """Not even a dangling link is followed."""
    create_key_file(path)
    before = path.read_bytes()
    with pytest.raises(SecretError, match="lexprint key rotate"):
        create_key_file(path)
    assert path.read_bytes() == before
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SecretError):
        create_key_file(link)
    assert not (tmp_path / "elsewhere").exists()


def test_a_failure_leaves_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk makes no half a key, and costs no old one."""

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    keyring = create_key_file(path)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SecretError, match="No space left"):
        create_key_file(path.with_name("other.key"))
    with pytest.raises(SecretError, match="No space left"):
        rotate_key_file(path)
    assert load_keyring(path, environment={}) == keyring
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_rotation_keeps_the_old_keys(path: Path) -> None:
    """The newest comes first, and each is found by its id."""
    first = create_key_file(path).newest
    rotated = rotate_key_file(path)
    assert rotated == load_keyring(path, environment={})
    assert list(rotated)[1:] == [first]
    assert len(rotated) == 2
    assert rotated.newest != first
    assert rotated.find(first.id) == first
    assert mode(path) == 0o600 or os.name != "posix"
    with pytest.raises(SecretError, match="00000000"):
        rotated.find("00000000")


def test_a_link_stays_a_link(path: Path) -> None:
    """What it names is rotated."""
    create_key_file(path)
    link = path.with_name("link.key")
    link.symlink_to(path.name)
    rotated = rotate_key_file(link)
    assert link.is_symlink()
    assert load_keyring(path, environment={}) == rotated


def test_rotations_at_once_lose_no_key(path: Path) -> None:
    """Each either adds its key or says that another is under way."""
    create_key_file(path)
    made: list[str] = []

    def rotate() -> None:
        for _ in range(20):
            try:
                made.append(rotate_key_file(path).newest.id)
            except SecretError as error:
                assert "another rotation" in str(error)  # noqa: PT017

    threads = [threading.Thread(target=rotate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {key.id for key in load_keyring(path, environment={})} >= set(made)
    assert made


@posix
@pytest.mark.parametrize("wrong", [0o640, 0o604, 0o660, 0o622, 0o601])
def test_a_file_that_others_can_reach_is_refused(path: Path, wrong: int) -> None:
    """Itself or through a link, and the message says what to type."""
    create_key_file(path)
    path.chmod(wrong)
    link = path.with_name("link.key")
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(SecretError, match="chmod 600"):
            load_keyring(name, environment={})
        with pytest.raises(SecretError, match="chmod 600"):
            rotate_key_file(name)
    path.chmod(0o400)
    load_keyring(link, environment={})


DAMAGED = [
    "",
    " \n",
    "# a comment alone\n",
    "hello",
    KEY.written_out()[:-1],
    KEY.written_out()[:-1] + "*",
    KEY.written_out().replace("key-1", "key-2"),
    KEY.written_out().replace("2026-01-31", "2026-13-31"),
    KEY.written_out().replace(KEY.id, "00000000"),
    KEY.written_out() * 2,
    f"{KEY.written_out()}\n{KEY.written_out()}",
    f"{KEY.written_out()} rest",
    "x" * (2 << 20),
]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_what_is_no_key_is_refused(path: Path, content: str) -> None:
    """Empty, cut, changed or something else; and what is there is not quoted, not even in a traceback."""
    path.touch(0o600)
    path.write_text(content)
    attempts: list[Callable[[], Keyring]] = [
        partial(load_keyring, path, environment={}),
        partial(load_keyring, environment={"LEXPRINT_KEY": content}),
        partial(rotate_key_file, path),
    ]
    for attempt in attempts:
        with pytest.raises(SecretError, match=r"empty|corrupt") as caught:
            attempt()
        told = "".join(traceback.format_exception(caught.value))
        assert KEY.written_out().rpartition(".")[2][:12] not in told
    assert path.read_text() == content


def test_other_files_are_refused(path: Path, tmp_path: Path) -> None:
    """Bytes that are no text, folders, pipes that nobody writes to, and nothing at all."""
    path.touch(0o600)
    path.write_bytes(b"\xff\xfe secret")
    with pytest.raises(SecretError, match="corrupt") as caught:
        load_keyring(path, environment={})
    assert "secret" not in "".join(traceback.format_exception(caught.value)).replace("SecretError", "")
    with pytest.raises(SecretError):
        load_keyring(tmp_path, environment={})
    with pytest.raises(SecretError, match="lexprint key new"):
        load_keyring(tmp_path / "none", environment={})
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe", 0o600)
        with pytest.raises(SecretError, match="regular"):
            load_keyring(tmp_path / "pipe", environment={})


def test_where_keys_are_looked_for(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, then a variable with the key, then one with its file, then the working folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SecretError, match="run: lexprint key new"):
        load_keyring(environment={})
    here, named, given = (create_key_file(tmp_path / name) for name in ("lexprint.key", "named.key", "owner.key"))
    environment = {"LEXPRINT_KEY_FILE": str(tmp_path / "named.key"), "LEXPRINT_KEY": KEY.written_out()}
    assert load_keyring(path, environment=environment) == given
    assert load_keyring(environment=environment) == Keyring((KEY,))
    del environment["LEXPRINT_KEY"]
    assert load_keyring(environment=environment) == named
    assert load_keyring(environment={}) == here
    with pytest.raises(SecretError, match="LEXPRINT_KEY is empty"):
        load_keyring(environment={"LEXPRINT_KEY": ""})


def test_a_variable_may_hold_a_whole_file(path: Path) -> None:
    """Comments, line breaks and all, or with spaces where a shell has lost the line breaks."""
    create_key_file(path)
    keyring = rotate_key_file(path)
    assert load_keyring(environment={"LEXPRINT_KEY": path.read_text()}) == keyring
    words = " ".join(key.written_out() for key in keyring)
    assert load_keyring(environment={"LEXPRINT_KEY": words}) == keyring


def test_a_keyring_is_not_empty() -> None:
    """Nor are two keys of it alike."""
    with pytest.raises(ValueError, match="at least one"):
        Keyring(())
    with pytest.raises(ValueError, match="same id"):
        Keyring((KEY, KEY))
