"""Where a run serves metrics, and which hosts the target has: the keys ``metrics`` and ``hosts`` of a target."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from shardload.config.hosts import FORM, is_local, resolve
from shardload.config.merge import KeyPath, Merged
from shardload.config.places import Places

DEFAULT_LISTEN = "127.0.0.1"
# Of Prometheus's node_exporter.
NODE_PORT = 9100

_ALL_ADDRESSES = "0.0.0.0"
_HIGHEST_PORT = 65535
_METRICS: KeyPath = ("target", "metrics")
_LISTEN: KeyPath = (*_METRICS, "listen")
_HOSTS: KeyPath = ("target", "hosts")


@dataclass(frozen=True)
class Listen:
    """Where generators serve their metrics; port 0 stands for any free one."""

    host: str
    port: int

    def to_json(self) -> dict[str, Any]:
        """Return the section of the effective configuration."""
        return {"listen": self.host, "port": self.port, "discovery": str(Places.find().metrics)}


@dataclass(frozen=True)
class ServerHost:
    """A host of the cluster under test; the port belongs to its node_exporter."""

    host: str
    port: int
    role: str

    def to_json(self) -> dict[str, Any]:
        """Return the entry of the effective configuration."""
        return asdict(self)


def read_listen(merged: Merged, target: Mapping[str, Any], has_load_hosts: bool) -> Listen | None:
    """Return where generators listen, None if metrics are off. Nothing is bound: the port may be in use."""
    section = target.get("metrics")
    if section is None:
        return Listen(DEFAULT_LISTEN, 0)
    text = section.get("listen")
    text = DEFAULT_LISTEN if text is None else text
    if text is False or text == "off":  # YAML takes off for false
        return None
    match = FORM.fullmatch(text.strip())
    if match is None:
        merged.refuse(_LISTEN, f'"{text}" is not an address; write host or host:port, as 127.0.0.1:9464, or off')
    host, port = match[1], _port(merged, _LISTEN, match, 0)
    address = host if host == _ALL_ADDRESSES else resolve(host)
    if address is None:
        merged.refuse(_LISTEN, f'the name "{host}" does not resolve to an IPv4 address')
    # On load hosts it may be the address of one of them.
    if not has_load_hosts and not is_local(str(address)):
        merged.refuse(_LISTEN, f'"{host}" is not an address of this machine, where the generator listens')
    return Listen(host, port)


def controller_host(host: str) -> str:
    """Return where the controller listens: as the generators, unless that is the address of a load host."""
    address = host if host == _ALL_ADDRESSES else resolve(host)
    return host if address is not None and is_local(address) else DEFAULT_LISTEN


def read_server_hosts(merged: Merged, target: Mapping[str, Any]) -> tuple[ServerHost, ...]:
    """Return the hosts of the target that its file names. Names are not resolved: the store scrapes them."""
    hosts: list[ServerHost] = []
    for index, item in enumerate(target.get("hosts") or []):
        host = _server_host(merged, (*_HOSTS, index), item)
        if host in hosts:
            merged.refuse((*_HOSTS, index), f"{host.host}:{host.port} is listed twice as {host.role}")
        hosts.append(host)
    return tuple(hosts)


def _server_host(merged: Merged, path: KeyPath, item: Any) -> ServerHost:
    text = item["host"]
    match = FORM.fullmatch(text.strip())
    if match is None:
        merged.refuse((*path, "host"), f'"{text}" is not a host; write host or host:port of its node_exporter')
    return ServerHost(match[1], _port(merged, (*path, "host"), match, NODE_PORT), item["role"])


def _port(merged: Merged, path: KeyPath, match: re.Match[str], otherwise: int) -> int:
    port = int(match[3] or otherwise)
    if match[3] and not 1 <= port <= _HIGHEST_PORT:
        merged.refuse(path, f"port {match[3]} of {match[1]} is not between 1 and {_HIGHEST_PORT}")
    return port
