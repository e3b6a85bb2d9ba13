"""A ZIP file whose other members stay as they are, compressed bytes and all, when one is changed.

`zipfile` reads; it cannot copy a member without compressing it anew, so the little that writing needs is here
(PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
"""

from __future__ import annotations

import io
import itertools
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lexprint.errors import FormatError

MOST_MEMBERS = 10_000
LARGEST_MEMBER = 60_000_000  # bytes, of those that are read; others are copied unopened
LARGEST_RATIO = 400  # real XML stays below 100
SMALL = 1_000_000  # bytes; below this any ratio will do

_LOCAL = struct.Struct("<4s2H H 2H 3L 2H")
_CENTRAL = struct.Struct("<4s3H H 2H 3L 5H 2L")
_END = struct.Struct("<4s4H2LH")
_HAS_DESCRIPTOR = 0x08
_IS_ENCRYPTED = 0x01
_ZIP64 = 0xFFFFFFFF
_UNIX = 3
_FAILURES = (
    BadZipFile,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True)
class Package:
    """A ZIP file in memory."""

    content: bytes = field(repr=False)
    name: str
    _members: Mapping[str, ZipInfo] = field(repr=False)
    _directory: int = field(repr=False)  # where the central directory begins

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(self._members)

    def read(self, member: str) -> bytes:
        """One member, within limits."""
        info = self._members[member]
        if info.flag_bits & _IS_ENCRYPTED:
            raise FormatError(self.name, found="encrypted", needed="the document without its password")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise damaged(self.name)
        try:
            with ZipFile(io.BytesIO(self.content)) as archive, archive.open(info) as file:
                found = file.read(LARGEST_MEMBER + 1)
        except (*_FAILURES, EOFError) as error:
            raise damaged(self.name) from error
        ratio = len(found) / max(info.compress_size, 1)
        if len(found) > LARGEST_MEMBER or (len(found) > SMALL and ratio > LARGEST_RATIO):
            raise FormatError(
                self.name,
                found="a file that unpacks to far too much",
                needed=f"at most {LARGEST_MEMBER:,} bytes a part",
            )
        return found

    def with_members(self, changed: Mapping[str, bytes]) -> bytes:
        """The file with some members replaced; dates and all else stay, so equal changes give equal bytes."""
        try:
            return self._rewritten(changed)
        except (struct.error, KeyError, IndexError) as error:
            raise damaged(self.name) from error

    def _rewritten(self, changed: Mapping[str, bytes]) -> bytes:
        offsets = sorted({info.header_offset for info in self._members.values()} | {self._directory})
        following = dict(itertools.pairwise(offsets))
        pieces = [self.content[: offsets[0]]]
        position = offsets[0]
        placed: dict[str, tuple[int, int, int, int] | int] = {}
        for name, info in sorted(self._members.items(), key=lambda item: item[1].header_offset):
            if name in changed:
                piece, sizes = _member(self.content, info, changed[name])
                placed[name] = (position, *sizes)
            else:
                piece = self.content[info.header_offset : following[info.header_offset]]
                placed[name] = position
            pieces.append(piece)
            position += len(piece)
        directory, rest = self._directory_with(placed)
        pieces += [directory, self._ending(position, len(directory), rest)]
        return b"".join(pieces)

    def _directory_with(self, placed: Mapping[str, tuple[int, int, int, int] | int]) -> tuple[bytes, int]:
        """The central directory, each entry told where its member is now; and where the old one ended."""
        pieces: list[bytes] = []
        cursor = self._directory
        for name in self._members:  # in the order of the directory
            fields = list(_CENTRAL.unpack_from(self.content, cursor))
            tail = fields[10] + fields[11] + fields[12]
            place = placed[name]
            if isinstance(place, int):
                fields[16] = place
            else:
                fields[3] &= ~_HAS_DESCRIPTOR
                fields[16], fields[7], fields[8], fields[9] = place
            start = cursor + _CENTRAL.size
            pieces += [_CENTRAL.pack(*fields), self.content[start : start + tail]]
            cursor = start + tail
        return b"".join(pieces), cursor

    def _ending(self, offset: int, size: int, old_end: int) -> bytes:
        """What followed the directory, with its new place."""
        ending = self.content.rindex(b"PK\5\6")
        fields = list(_END.unpack_from(self.content, ending))
        fields[5], fields[6] = size, offset
        return self.content[old_end:ending] + _END.pack(*fields) + self.content[ending + _END.size :]


def open_package(content: bytes, *, name: str) -> Package:
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            directory = archive.start_dir
    except (*_FAILURES, EOFError) as error:
        raise damaged(name) from error
    if not 0 < len(infos) <= MOST_MEMBERS:
        raise FormatError(name, found=f"a ZIP file of {len(infos):,} parts", needed=f"at most {MOST_MEMBERS:,}")
    members = {info.filename: info for info in infos}
    if len(members) < len(infos) or not _is_regular(content, infos, directory):
        raise damaged(name)
    return Package(content, name, members, directory)


def pack(members: Mapping[str, bytes]) -> bytes:
    """A ZIP file of these members, in their order and uncompressed: equal members give equal bytes, everywhere."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_STORED) as archive:
        for name, part in members.items():
            info = ZipInfo(name)  # of 1980, which is as early as it gets
            info.create_system, info.external_attr = _UNIX, 0o100644 << 16
            archive.writestr(info, part)
    return content.getvalue()


def damaged(name: str) -> FormatError:
    return FormatError(name, found="a damaged ZIP file", needed="the document as the word processor saved it")


def _is_regular(content: bytes, infos: list[ZipInfo], directory: int) -> bool:
    """Members follow each other without overlap and are small enough for plain ZIP; else they could not be copied."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        start = info.header_offset
        if start < end or start + _LOCAL.size > directory or content[start : start + 4] != b"PK\3\4":
            return False
        fields = _LOCAL.unpack_from(content, start)
        if _ZIP64 in (fields[7], fields[8], info.file_size, info.compress_size):
            return False
        end = start + _LOCAL.size + fields[9] + fields[10] + info.compress_size
    cursor = directory
    for _ in infos:
        if content[cursor : cursor + 4] != b"PK\1\2" or cursor + _CENTRAL.size > len(content):
            return False
        fields = _CENTRAL.unpack_from(content, cursor)
        if _ZIP64 in (fields[8], fields[9], fields[16]):
            return False
        cursor += _CENTRAL.size + fields[10] + fields[11] + fields[12]
    return end <= directory and content.rfind(b"PK\5\6") >= cursor


def _member(content: bytes, info: ZipInfo, changed: bytes) -> tuple[bytes, tuple[int, int, int]]:
    """A local header and its data, and the checksum and sizes that the directory must repeat."""
    fields = list(_LOCAL.unpack_from(content, info.header_offset))
    start = info.header_offset + _LOCAL.size
    names = content[start : start + fields[9] + fields[10]]
    data = changed
    if info.compress_type == ZIP_DEFLATED:
        compressor = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        data = compressor.compress(changed) + compressor.flush()
    sizes = zlib.crc32(changed), len(data), len(changed)
    fields[2] &= ~_HAS_DESCRIPTOR
    fields[6], fields[7], fields[8] = sizes
    return _LOCAL.pack(*fields) + names + data, sizes
