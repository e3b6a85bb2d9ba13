"""Requests that the service itself sends, to addresses that somebody chose over HTTP.

Such an address could be one of the machine's own, or of its network, where the service is trusted and whoever chose it is not.
So a name is looked up once, every address it has must be a public one, and the connection goes to the very address that was
looked at. Only whoever starts the service can name hosts for which this does not hold. Redirects are not followed, and nothing of an
answer is kept but its status.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from lexprint.errors import InputError

TIMEOUT_SECONDS = 10.0
LONGEST_URL = 500
PORTS = {"https": 443, "http": 80}
_TRANSLATED = IPv6Network("64:ff9b::/96")  # IPv4 addresses as seen by networks that have none (RFC 6052)


class Unreachable(Exception):
    """Nobody took the request; what was found there stays unsaid, for it may be about somebody's network."""


@dataclass(frozen=True)
class Target:
    """Where a request may go."""

    host: str
    port: int
    path: str
    is_encrypted: bool
    is_trusted: bool  # whoever started the service has named the host

    @classmethod
    def of(cls, url: str, *, trusted_hosts: Collection[str] = ()) -> Target:
        """What a URL says, without looking the name up: the answer would tell of names in the service's network."""
        wrong = InputError(
            "the URL cannot be used", needed="one like https://store.example/lexprint, without a password"
        )
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError as error:
            raise wrong from error
        is_plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= LONGEST_URL
        if not is_plain or parts.scheme not in PORTS or not host or "@" in parts.netloc or parts.fragment or port == 0:
            raise wrong
        is_trusted = host in {one.lower() for one in trusted_hosts}
        if parts.scheme != "https" and not is_trusted:
            raise InputError("the URL is not encrypted", needed="https://, or lexprint serve --webhook-host HOST")
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        found = cls(host, port or PORTS[parts.scheme], path, parts.scheme == "https", is_trusted)
        with suppress(ValueError):
            if not is_trusted and not is_public(ip_address(host)):
                raise InputError("the URL is not a public one", needed="another, or lexprint serve --webhook-host HOST")
        return found


def post(target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the answer; `Unreachable` if there was none in time."""
    try:
        with socket.create_connection((_address(target), target.port), TIMEOUT_SECONDS) as connection:
            return _exchange(connection, target, body, headers)
    except (OSError, HTTPException, ValueError) as error:
        raise Unreachable(type(error).__name__) from error


def _exchange(connection: socket.socket, target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    # Whoever answers a byte at a time is never late for the socket's own timeout.
    watched = connection.dup()
    watch = threading.Timer(TIMEOUT_SECONDS, _hang_up, [watched])
    watch.daemon = True
    watch.start()
    try:
        if target.is_encrypted:
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=target.host)
        shown = f"[{target.host}]" if ":" in target.host else target.host
        exchange = HTTPConnection(target.host, target.port)
        exchange.sock = connection
        exchange.request(
            "POST", target.path, body, {"Host": f"{shown}:{target.port}", "Connection": "close", **headers}
        )
        return exchange.getresponse().status
    finally:
        watch.cancel()
        watched.close()
        connection.close()


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _address(target: Target) -> str:
    """Where to connect to; a name with any address that is not public is refused as a whole."""
    found = [str(one[4][0]) for one in socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)]
    if not found or not (target.is_trusted or all(is_public(ip_address(one.partition("%")[0])) for one in found)):
        raise Unreachable("its address is not public")
    return found[0]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is of the internet at large, also if another is wrapped in it.

    >>> [is_public(ip_address(one)) for one in ("93.184.215.14", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False, False]
    """
    if isinstance(address, IPv6Address):
        if address in _TRANSLATED:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is not None and not is_public(inner):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)
