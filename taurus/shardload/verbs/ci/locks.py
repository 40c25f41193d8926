"""What a run of a target takes: machines, by names that are the same for all targets of one cluster; credentials."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from shardload.config.hosts import is_local, route_to
from shardload.config.problem import Problem

_PREFIX = "shardload-"
# scheme://[user@]host[:port],host[:port]/...
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?([^/?#]+)")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%A-Za-z]+\]|[^:\[\]]+)(?::\d+)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE_KEYS = ("password-env", "token-env", "ssl-key-password-env")
# Addresses of documentation: the route to them is the one to everywhere. Nothing is sent.
_ANYWHERE = "192.0.2.1"

Resolver = Callable[[str], Sequence[str]]


def lock_names(section: Mapping[str, Any], resolve: Resolver | None = None) -> set[str]:
    """Return the names of all machines that runs of a target load.

    They follow from its file alone: no server is asked what else belongs to its cluster.
    """
    look_up = resolve or addresses_of
    return {_PREFIX + name for host in machines_of(section) for name in names_of_machine(host, look_up)}


def machines_of(section: Mapping[str, Any]) -> Iterator[str]:
    """Yield the machines of a target's servers, load hosts and Redis, and this one where it has a part."""
    load_hosts = section.get("load-hosts")
    if section.get("embedded") or load_hosts is None:
        yield "localhost"  # the server or the generator is here
    if not section.get("embedded") and section.get("url"):
        yield from _hosts_of_url("target.url", section["url"])
    for server in section.get("hosts") or ():
        yield from _hosts_of_list("target.hosts", str(server.get("host") if isinstance(server, Mapping) else server))
    for host in load_hosts if isinstance(load_hosts, list) else [load_hosts] if load_hosts else ():
        yield from _hosts_of_list("target.load-hosts", str(host))
    redis = section.get("redis")
    if isinstance(redis, Mapping) and redis.get("url"):
        yield from _hosts_of_url("target.redis.url", redis["url"])


def names_of_machine(host: str, resolve: Resolver) -> set[str]:
    """Return what a machine is called, whichever of its names or addresses a file has.

    A machine is its addresses; one that does not resolve is its name. This machine has its host name as well, which
    stands for loopback: another machine's 127.0.0.1 is another one.
    """
    text = host.strip("[]").rstrip(".").lower()
    found = {_canonical(address) for address in resolve(text)}
    if not found:
        return {text}
    here = {address for address in found if address.is_loopback or address.is_unspecified or is_local(str(address))}
    names = {str(address) for address in found if not (address.is_loopback or address.is_unspecified)}
    if here:
        names.add(f"local-{socket.gethostname().rstrip('.').lower()}")
        own = route_to(_ANYWHERE)
        names |= {own} if own else set()
    return names


def addresses_of(name: str) -> list[str]:
    """Return all addresses of a name or address, none if it does not resolve."""
    try:
        return sorted({str(info[4][0]) for info in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        return []


def credentials_of(section: Mapping[str, Any]) -> set[str]:
    """Return the environment variables in which a target expects passwords and tokens."""
    return set(_variables(("target",), section))


def _variables(path: tuple[str, ...], value: Any) -> Iterator[str]:
    for key, item in value.items() if isinstance(value, Mapping) else ():
        if key in _VARIABLE_KEYS and item is not None:
            if not _VARIABLE.fullmatch(str(item)):
                raise Problem(f"{'.'.join((*path, key))}: must be the name of an environment variable")
            yield str(item)
        else:
            yield from _variables((*path, str(key)), item)


def _canonical(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return mapped or parsed


def _hosts_of_url(key: str, url: object) -> Iterator[str]:
    match = _URL.match(str(url))
    if match is None:
        raise Problem(f"{key}: is not a URL with a host")
    yield from _hosts_of_list(key, match[1])


def _hosts_of_list(key: str, text: str) -> Iterator[str]:
    for part in text.split(","):
        match = _HOST.fullmatch(part.strip())
        if match is None:
            raise Problem(f"{key}: is not a list of host or host:port")
        yield match[1]
