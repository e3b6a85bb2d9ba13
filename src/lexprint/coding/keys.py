"""Master keys: one secret, from which every other key is derived by purpose and document.

A key file holds one or more keys, newest first: the newest writes, all of them read. Whatever can be shown of a key is its
id; the secret leaves this module only as derived keys and as the content of a file that nobody else may read.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lexprint.coding.public_keys import PublicKey
from lexprint.errors import SecretError
from lexprint.whole_files import sync_folder

DEFAULT_KEY_FILE = "lexprint.key"
KEY_VARIABLE = "LEXPRINT_KEY"  # holds what a key file holds
KEY_FILE_VARIABLE = "LEXPRINT_KEY_FILE"  # names a key file

SECRET_BYTES = 32
SIGNING = "signing"  # purpose of the derived key
LARGEST_FILE_BYTES = 1 << 20  # some ten thousand keys; anything larger is not a key file

KEY_BEGINNING = "lexprint-key-1"  # begins every key, so that scanners for leaked secrets can know it
_DOMAIN = b"lexprint master key 1"
_DATE = "%Y-%m-%dT%H:%M:%SZ"
_HEADER = """\
# lexprint master keys, newest first. Whoever has them can read and forge your marks: keep this file secret,
# keep a copy in a safe place, and delete no key while a text that it marked is in use.
"""


class MasterKey:
    """A secret and its id; the secret itself is never shown, printed or pickled.

    >>> from datetime import UTC, datetime
    >>> key = MasterKey(bytes(32), created_at=datetime(2026, 1, 31, tzinfo=UTC))
    >>> key
    MasterKey(id='76a53a600fb24611', created_at='2026-01-31T00:00:00Z')
    >>> key.derive("payload") == key.derive("payload", document="minutes")
    False
    """

    __slots__ = ("__secret", "created_at", "public_key")

    created_at: datetime
    public_key: PublicKey  # verifies what this key signs

    def __init__(self, secret: bytes, *, created_at: datetime) -> None:
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"a master key has {SECRET_BYTES} bytes, not {len(secret)}")
        self.__secret = bytes(secret)
        self.created_at = created_at.astimezone(UTC).replace(microsecond=0)
        self.public_key = PublicKey(self._signing_key().public_key().public_bytes_raw())

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits, which follow from the public key; may be shown."""
        return self.public_key.id

    @classmethod
    def generate(cls) -> MasterKey:
        return cls(secrets.token_bytes(SECRET_BYTES), created_at=datetime.now(UTC))

    def derive(self, purpose: str, *, document: str = "") -> bytes:
        """A key for one purpose and document (HKDF-SHA256); keys of other purposes and documents tell nothing of it."""
        if not purpose:
            raise ValueError("a derived key needs a purpose")
        info = b"".join(_with_length(part) for part in (_DOMAIN, purpose.encode(), document.encode()))
        return HKDF(algorithm=SHA256(), length=SECRET_BYTES, salt=None, info=info).derive(self.__secret)

    def sign(self, content: bytes) -> bytes:
        """A signature that the public key verifies and only this key can make."""
        return self._signing_key().sign(content)

    def _signing_key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.derive(SIGNING))

    def written_out(self) -> str:
        """The secret and all, as in a key file and for nothing else; the id shows damage."""
        secret = urlsafe_b64encode(self.__secret).decode().rstrip("=")
        return ".".join((KEY_BEGINNING, self.created_at.strftime(_DATE), self.id, secret))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MasterKey) and hmac.compare_digest(self.__secret, other.__secret)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"MasterKey(id={self.id!r}, created_at={self.created_at.strftime(_DATE)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a master key is not pickled or copied; pass the path of its file instead")


@dataclass(frozen=True)
class Keyring:
    """Keys of one owner, newest first.

    >>> len(Keyring((MasterKey.generate(),)))
    1
    """

    keys: tuple[MasterKey, ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("a keyring has at least one key")
        if len({key.id for key in self.keys}) < len(self.keys):
            raise ValueError("two keys have the same id")

    @classmethod
    def load(cls, path: str | Path) -> Keyring:
        """The keys of a file that `lexprint key new` wrote.

        >>> Keyring.load("no-such-file.key")
        Traceback (most recent call last):
        lexprint.errors.SecretError: the key file no-such-file.key is not there; needed: one; run: lexprint key new
        """
        return _read_key_file(Path(path))

    def __iter__(self) -> Iterator[MasterKey]:
        return iter(self.keys)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def newest(self) -> MasterKey:
        """The one that writes."""
        return self.keys[0]

    def find(self, key_id: str) -> MasterKey:
        """The key with this id."""
        for key in self.keys:
            if key.id == key_id:
                return key
        ids = ", ".join(key.id for key in self.keys)
        raise SecretError(f"key {key_id} is not among the keys {ids}", needed="the key file that holds it")


def create_key_file(path: Path) -> Keyring:
    """Make a new key in a new file that only its owner can read."""
    keyring = Keyring((MasterKey.generate(),))
    try:
        with _new_file(path) as descriptor:
            _write(descriptor, keyring)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise SecretError(
            f"{path} exists and is not overwritten: its keys may be in use",
            needed="another name; to add a key to it, run: lexprint key rotate",
        ) from error
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    return keyring


def rotate_key_file(path: Path) -> Keyring:
    """Put a new key before those of a file; the old ones still read."""
    _read_key_file(path)  # a file that is missing or open to others is refused before anything is written
    path = path.resolve()  # a link stays a link
    temporary = path.with_name(f".{path.name}.new")  # the name is the lock: of two rotations at once none loses a key
    try:
        with _new_file(temporary) as descriptor:
            keyring = Keyring((MasterKey.generate(), *_read_key_file(path)))
            _write(descriptor, keyring)
            temporary.replace(path)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise SecretError(
            f"{temporary} exists: another rotation is under way, or one was interrupted",
            needed="to wait for it, or to delete that file",
        ) from error
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    return keyring


def load_keyring(path: Path | None = None, *, environment: Mapping[str, str]) -> Keyring:
    """The keys of a file, else of the environment, else of `lexprint.key` in the working folder.

    >>> load_keyring(environment={"LEXPRINT_KEY": "nonsense"})
    Traceback (most recent call last):
    lexprint.errors.SecretError: the variable LEXPRINT_KEY is corrupt, or not a key file;
    needed: what lexprint key new wrote; restore your copy
    """
    if path is not None:
        return _read_key_file(path)
    if (text := environment.get(KEY_VARIABLE)) is not None:
        return _parse(text, name=f"the variable {KEY_VARIABLE}")
    if named := environment.get(KEY_FILE_VARIABLE):
        return _read_key_file(Path(named))
    if os.path.lexists(DEFAULT_KEY_FILE):
        return _read_key_file(Path(DEFAULT_KEY_FILE))
    raise SecretError(
        f"there is no key: no {DEFAULT_KEY_FILE} here, and neither {KEY_VARIABLE} nor {KEY_FILE_VARIABLE} is set",
        needed="the owner's key file, or a new one; run: lexprint key new",
    )


def _with_length(part: bytes) -> bytes:
    """So that no two lists of parts become the same bytes."""
    return len(part).to_bytes(4) + part


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
    """A file that nobody else can read at any moment; it goes again if the work on it fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        yield descriptor
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _write(descriptor: int, keyring: Keyring) -> None:
    content = "".join((_HEADER, *(f"{key.written_out()}\n" for key in keyring))).encode()
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)


def _unwritable(path: Path, error: Exception) -> SecretError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "the name is no file name"
    return SecretError(f"{path} could not be written ({reason})", needed="a place that can be written")


def _read_key_file(path: Path) -> Keyring:
    try:
        # Without blocking: a named pipe would wait for a writer. The open file is asked, so none can be slipped in between.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise SecretError(f"the key file {path} is not there", needed="one; run: lexprint key new") from error
    except (OSError, ValueError) as error:
        raise SecretError(f"the key file {path} is not readable", needed="a file that you may read") from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise SecretError(f"{path} is no regular file", needed="a key file; run: lexprint key new")
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SecretError(f"the key file {path} is open to others", needed=f"privacy; run: chmod 600 {path}")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(LARGEST_FILE_BYTES + 1)
    finally:
        os.close(descriptor)
    name = f"the key file {path}"
    if len(content) > LARGEST_FILE_BYTES:
        raise _damaged(name)
    try:
        return _parse(content.decode("utf-8"), name=name)
    except UnicodeDecodeError:
        raise _damaged(name) from None  # the error would quote the content


def _parse(text: str, *, name: str) -> Keyring:
    """Keys of a file or a variable; nothing of them is ever quoted."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    words = " ".join(lines).split()
    if not words:
        raise SecretError(f"{name} is empty", needed="a key; run: lexprint key new")
    with suppress(ValueError):
        return Keyring(tuple(map(_parse_key, words)))
    raise _damaged(name)


def _parse_key(word: str) -> MasterKey:
    kind, date, key_id, secret = word.split(".")
    key = MasterKey(
        b64decode(f"{secret}=", altchars="-_", validate=True),
        created_at=datetime.strptime(date, _DATE).replace(tzinfo=UTC),
    )
    if kind != KEY_BEGINNING or key.id != key_id or key.written_out() != word:
        raise ValueError("damaged")
    return key


def _damaged(name: str) -> SecretError:
    return SecretError(f"{name} is corrupt, or not a key file", needed="what lexprint key new wrote; restore your copy")
