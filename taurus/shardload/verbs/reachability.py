"""Whether servers answer: each host gets the first question of its protocol, all hosts at the same time."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

_PORTS = {"postgresql": 5432, "mongodb": 27017}
_URL = re.compile(r"(postgresql|mongodb)://([^/?]+)")
_HOST = re.compile(r"(?:\[([^\]]+)\]|([^:\[\]]+))(?::(\d{1,5}))?")
_OP_MSG = 2013
_HEADER = struct.Struct("<iiii")


class _Host(NamedTuple):
    scheme: str
    name: str
    port: int


def ask(urls: Mapping[str, str], timeout: float) -> dict[str, str]:
    """Return for each name what its URL's hosts answer; no host is waited for longer than ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    hosts = {name: _hosts(url) for name, url in urls.items()}
    heard: dict[_Host, str] = {}
    asked: list[threading.Thread] = []
    for each in {host for those in hosts.values() for host in those}:

        def work(each: _Host = each) -> None:
            heard[each] = _answer(each, deadline)

        # A daemon: looking a name up cannot be given up, and must not hold up the end.
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        asked.append(thread)
    for thread in asked:
        thread.join(max(0.0, deadline - time.monotonic()))
    return {name: _together({host: heard.get(host, "timed out") for host in those}) for name, those in hosts.items()}


def without_user(url: str) -> str:
    """Return a URL fit to be shown: what stands before an @ may be a password."""
    scheme, slashes, rest = url.partition("://")
    _user, at, place = rest.rpartition("@")
    return f"{scheme}{slashes}...@{place}" if at else url


def _hosts(url: str) -> list[_Host]:
    whole = _URL.match(url)
    if not whole:
        return []
    scheme = whole.group(1)
    parts = [_HOST.fullmatch(part) for part in whole.group(2).split(",")]
    return [_Host(scheme, part[1] or part[2], int(part[3] or _PORTS[scheme])) for part in parts if part]


def _together(answers: Mapping[_Host, str]) -> str:
    if not answers:
        return "no, its url names no host"
    silent = {host: answer for host, answer in answers.items() if answer}
    if not silent:
        return "yes" if len(answers) == 1 else f"yes, all {len(answers)} hosts"
    host, answer = next(iter(silent.items()))
    if len(silent) < len(answers):
        return f"{len(answers) - len(silent)} of {len(answers)} hosts; {host.name}:{host.port}: {answer}"
    return f"no, {answer}"


def _answer(host: _Host, deadline: float) -> str:
    """Return why a host does not answer, or nothing if it does."""
    try:
        with socket.create_connection((host.name, host.port), max(0.01, deadline - time.monotonic())) as connection:
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            return _PROTOCOLS[host.scheme](connection)
    except ConnectionRefusedError:
        return "connection refused"
    except socket.timeout:
        return "timed out"
    # No name at all, such as a..b, is a ValueError.
    except (OSError, OverflowError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)


def _postgresql(connection: socket.socket) -> str:
    """Ask whether it encrypts: every PostgreSQL and pgbouncer says S or N."""
    connection.sendall(struct.pack("!ii", 8, 80877103))
    return "" if connection.recv(1) in (b"S", b"N") else "something else than PostgreSQL answers"


def _mongodb(connection: socket.socket) -> str:
    """Greet it as drivers do. A server that wants TLS first hangs up."""
    command = b"\x10isMaster\0" + struct.pack("<i", 1) + b"\x02$db\0" + struct.pack("<i", 6) + b"admin\0\0"
    body = struct.pack("<iB", 0, 0) + struct.pack("<i", 4 + len(command)) + command
    connection.sendall(_HEADER.pack(_HEADER.size + len(body), 1, 0, _OP_MSG) + body)
    head = b""
    with contextlib.suppress(ConnectionResetError):
        while len(head) < _HEADER.size:
            part = connection.recv(_HEADER.size - len(head))
            if not part:
                break
            head += part
    if not head:
        return "hangs up (it may want TLS)"
    speaks = len(head) == _HEADER.size and _HEADER.unpack(head)[3] == _OP_MSG
    return "" if speaks else "something else than MongoDB answers"


_PROTOCOLS: dict[str, Callable[[socket.socket], str]] = {"postgresql": _postgresql, "mongodb": _mongodb}
