"""ZIP files that are changed in place."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, strategies as st
from tests.formats.corpus import make_zip, members_of, mutated

from lexprint.errors import FormatError
from lexprint.formats.zip_package import LARGEST_MEMBER, open_package

MEMBERS = {"a.xml": b"<a>" * 50, "b/c.bin": bytes(range(256)) * 9, "d.xml": b""}


def test_other_members_are_copied() -> None:
    """Only the named member differs, order, dates and attributes stay, and the archive is sound."""
    content = make_zip(MEMBERS)
    changed = open_package(content, name="x").with_members({"a.xml": b"new"})
    old, new = members_of(content), members_of(changed)
    assert list(new) == list(old)
    assert new.pop("a.xml") == (b"new", *old.pop("a.xml")[1:])
    assert new == old
    assert open_package(content, name="x").with_members({}) == content


def test_streamed_archives_can_be_changed() -> None:
    """Members whose sizes stand behind their data, stored members and a comment are no obstacle."""

    class Stream(io.RawIOBase):
        content = b""

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            piece = bytes(data)  # type: ignore[call-overload]
            self.content += piece
            return len(piece)

    stream = Stream()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.comment = b"a comment"
        archive.writestr("a.xml", b"stored " * 9)
        archive.writestr("b.xml", b"deflated " * 9, zipfile.ZIP_DEFLATED)
    package = open_package(stream.content, name="x")
    for name in ("a.xml", "b.xml"):
        found = members_of(package.with_members({name: b"other"}))
        assert found[name][0] == b"other"
        assert len(found) == 2
    assert package.with_members({"a.xml": b"other"}).endswith(b"a comment")


def test_equal_changes_give_equal_bytes() -> None:
    """No clock and no chance gets into the file."""
    package = open_package(make_zip(MEMBERS), name="x")
    assert package.with_members({"a.xml": b"new"}) == package.with_members({"a.xml": b"new"})


def test_bombs_are_refused() -> None:
    """A member that unpacks to far more than its size is not unpacked, nor one that lies about it."""
    bomb = make_zip({"a.xml": b" " * 5_000_000})
    with pytest.raises(FormatError, match="unpacks to far too much"):
        open_package(bomb, name="x").read("a.xml")
    large = make_zip({"a.xml": b"0" * (LARGEST_MEMBER + 1)})
    with pytest.raises(FormatError, match="unpacks to far too much"):
        open_package(large, name="x").read("a.xml")


def test_overlapping_members_are_refused() -> None:
    """Two names for the same bytes are how small bombs are made large."""
    content = bytearray(make_zip({"a": b"x" * 100, "b": b"x" * 100}))
    second = content.index(b"PK\1\2", content.index(b"PK\1\2") + 1)
    content[second + 42 : second + 46] = struct.pack("<L", 0)
    with pytest.raises(FormatError, match="damaged ZIP"):
        open_package(bytes(content), name="x").read("b")


def test_encrypted_members_are_refused() -> None:
    """A password is asked for in plain words."""
    content = bytearray(make_zip({"a.xml": b"secret"}))
    content[content.index(b"PK\1\2") + 8] |= 1
    content[6] |= 1
    with pytest.raises(FormatError, match="x is encrypted"):
        open_package(bytes(content), name="x").read("a.xml")


@given(st.data())
def test_damaged_archives_are_refused_or_read(data: st.DataObject) -> None:
    """Whatever happens to an archive, it is read or refused, and can be rewritten if it can be read."""
    content = mutated(data, make_zip(MEMBERS), strange=[b"PK\5\6", b"PK\1\2", b"\xff\xff\xff\xff", b"\0" * 8])
    try:
        package = open_package(content, name="x")
        members = {name: package.read(name) for name in package.members}
        changed = package.with_members({next(iter(members)): b"new"})
    except FormatError:
        return
    again = open_package(changed, name="x")
    assert {name: again.read(name) for name in again.members} == {**members, next(iter(members)): b"new"}
