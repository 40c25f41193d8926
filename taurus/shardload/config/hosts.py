"""Load hosts: which engines drive the load, where the controller meets them, and what is wrong with the list."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from shardload.config.merge import KeyPath, Merged
from shardload.config.places import Places

DEFAULT_PORT = 1099
KEY_STORE = ".shardload/keys/rmi_keystore.jks"

# What a load host looks like: its name or IPv4 address, and its port.
FORM = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)(?::(\d+))?")
# An engine takes its port and the next one.
_HIGHEST_PORT = 65534
_IN_EXECUTION: KeyPath = ("execution", 0, "distributed")
_IN_TARGET: KeyPath = ("target", "load-hosts")
_ADDRESS: KeyPath = ("target", "controller-address")
_ON_LOSS: KeyPath = ("execution", 0, "on-generator-loss")
_REDIS: KeyPath = ("target", "redis", "url")


@dataclass(frozen=True)
class LoadHosts:
    """The engines of a run by their numbers, as host:port, and how they and the controller meet."""

    engines: tuple[str, ...]
    controller_address: str
    controller_port: int
    redis_url: str
    redis_password_env: str
    on_loss: str

    def to_json(self) -> dict[str, Any]:
        """Return the section of the effective configuration."""
        return {
            "list": list(self.engines),
            "controller_address": self.controller_address,
            "controller_port": self.controller_port,
            "key_store": KEY_STORE,
            "redis_url": self.redis_url,
            "redis_password_env": self.redis_password_env,
            "on_generator_loss": self.on_loss,
        }


@dataclass(frozen=True)
class _Engine:
    path: KeyPath
    shown: str
    host: str
    port: int
    address: str

    @property
    def is_loopback(self) -> bool:
        return _is_loopback(self.address)


def list_path(config: Mapping[str, Any]) -> KeyPath:
    """Return the path of the key that holds the list of load hosts."""
    items = config.get("execution")
    item = items[0] if isinstance(items, list) and items else items
    return _IN_EXECUTION if isinstance(item, Mapping) and item.get("distributed") is not None else _IN_TARGET


def path_of(key: str, config: Mapping[str, Any]) -> KeyPath:
    """Return the path in the merged configuration of a key of the section ``hosts``."""
    places: dict[str, KeyPath] = {
        "controller_address": _ADDRESS,
        "controller_port": _ADDRESS,
        "on_generator_loss": _ON_LOSS,
        "redis_url": _REDIS,
        "redis_password_env": ("target", "redis", "password-env"),
    }
    return places.get(key) or list_path(config)


def read_hosts(
    merged: Merged, target: Mapping[str, Any], execution: Mapping[str, Any], workers: int
) -> LoadHosts | None:
    """Return the load hosts of a run, None if the load is made on this machine.

    Names are resolved, and nothing is contacted.
    """
    return _Reader(merged, target, execution).read(workers)


class _Reader:
    def __init__(self, merged: Merged, target: Mapping[str, Any], execution: Mapping[str, Any]) -> None:
        self._merged = merged
        self._target = target
        self._execution = execution
        self._path = list_path(merged.config)

    def read(self, workers: int) -> LoadHosts | None:
        on_loss = self._execution.get("on-generator-loss")
        redis = self._target.get("redis") or {}
        if self._listed() is None:
            for path, value in ((_ON_LOSS, on_loss), (_ADDRESS, self._target.get("controller-address"))):
                if value is not None:
                    self._merged.refuse(path, "requires load hosts (target.load-hosts)")
            return None
        engines = self._engines()
        if len(engines) > workers:
            needed = f"{len(engines)} load hosts need at least {len(engines)} workers"
            self._merged.refuse(self._path, f"{needed} (execution.0.concurrency), not {workers}")
        self._refuse_embedded()
        address, port = self._controller_address(engines)
        if redis:
            self._check_redis(str(redis["url"]), engines)
        self._check_key_store()
        return LoadHosts(
            tuple(engine.shown for engine in engines),
            address,
            port,
            str(redis.get("url") or ""),
            str(redis.get("password-env") or ""),
            str(on_loss or "stop"),
        )

    # --- the list

    def _listed(self) -> Any:
        given, of_target = self._execution.get("distributed"), self._target.get("load-hosts")
        if given is not None and of_target is not None:
            other = self._merged.place(_IN_TARGET)
            self._merged.refuse(_IN_EXECUTION, f"the load hosts are also in {other}; keep one of the two lists")
        return of_target if given is None else given

    def _engines(self) -> list[_Engine]:
        engines: list[_Engine] = []
        for index, text in enumerate(self._listed()):
            engine = self._engine((*self._path, index), text)
            for other in engines:
                self._refuse_twice(engine, other)
            engines.append(engine)
        return engines

    def _engine(self, path: KeyPath, text: str) -> _Engine:
        match = FORM.fullmatch(text.strip())
        if match is None:
            self._merged.refuse(
                path, f'"{text}" is not a load host; write host or host:port, with a name or an IPv4 address'
            )
        host, port = match[1], int(match[3] or DEFAULT_PORT)
        if not 1 <= port <= _HIGHEST_PORT:
            self._merged.refuse(path, f"port {port} of {host} is not between 1 and {_HIGHEST_PORT}")
        address = resolve(host)
        if address is None:
            self._merged.refuse(path, f'the name "{host}" does not resolve to an IPv4 address')
        if ipaddress.ip_address(address).is_unspecified:
            self._merged.refuse(path, f"{host} means all addresses; name the address of the load host")
        return _Engine(path, f"{host}:{port}", host, port, address)

    def _refuse_twice(self, engine: _Engine, other: _Engine) -> None:
        if engine.address != other.address:
            return
        if engine.shown == other.shown:
            self._merged.refuse(engine.path, f"{engine.shown} is listed twice")
        if engine.port == other.port:
            self._merged.refuse(engine.path, f"{engine.shown} and {other.shown} are the same engine ({engine.address})")
        if abs(engine.port - other.port) == 1:
            lower, upper = sorted((engine, other), key=lambda each: each.port)
            self._merged.refuse(
                engine.path,
                f"{lower.shown} takes port {upper.port} as well, so {upper.shown} cannot; leave two ports between them",
            )

    # --- how they meet

    def _refuse_embedded(self) -> None:
        if self._target.get("embedded"):
            path: KeyPath = ("target", "embedded")
            self._merged.refuse(
                path,
                "load hosts cannot use an embedded server, whose password exists only in this process; "
                "start the server yourself and name it with target.url",
            )

    def _controller_address(self, engines: Sequence[_Engine]) -> tuple[str, int]:
        """Return address and port of the controller's own Redis; port 0 stands for any free one."""
        given = self._target.get("controller-address")
        remote = next((engine for engine in engines if not engine.is_loopback), None)
        if given is None:
            address = "127.0.0.1" if remote is None else route_to(remote.address)
            if address is None:
                assert remote is not None
                self._merged.refuse(remote.path, f"there is no route to {remote.host} ({remote.address})")
            return str(address), 0
        match = FORM.fullmatch(given.strip())
        address = resolve(match[1]) if match else None
        if given in ("*", "::", "[::]") or (address and ipaddress.ip_address(address).is_unspecified):
            self._merged.refuse(_ADDRESS, f'"{given}" means all addresses; name the address that the load hosts reach')
        if match is None or address is None or not is_local(address):
            self._merged.refuse(_ADDRESS, f'"{given}" is not an address of this machine')
        if remote is not None and _is_loopback(address):
            self._merged.refuse(_ADDRESS, f"{remote.host} cannot reach {given}, an address within this machine")
        port = int(match[3] or 0)
        if match[3] and not 1 <= port <= _HIGHEST_PORT:
            self._merged.refuse(_ADDRESS, f"port {match[3]} is not between 1 and {_HIGHEST_PORT}")
        return address, port

    def _check_redis(self, url: str, engines: Sequence[_Engine]) -> None:
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            self._merged.refuse(_REDIS, f'"{url}" is not a URL; write it like rediss://10.9.0.1:6379')
        if parts.scheme not in ("redis", "rediss") or not host:
            self._merged.refuse(_REDIS, f'"{url}" is not an address of a Redis; write it like rediss://10.9.0.1:6379')
        address = resolve(str(host))
        if address is None:
            self._merged.refuse(_REDIS, f'the name "{host}" does not resolve to an IPv4 address')
        is_within = _is_loopback(str(address))
        if not is_within and parts.scheme != "rediss":
            self._merged.refuse(_REDIS, "a Redis on another machine requires TLS; write rediss://")
        remote = next((engine for engine in engines if not engine.is_loopback), None)
        if is_within and remote is not None:
            self._merged.refuse(_REDIS, f"{remote.host} cannot reach {host}, an address within this machine")

    def _check_key_store(self) -> None:
        path = Places.find().root / KEY_STORE
        if not path.is_file():
            self._merged.refuse(
                self._path,
                f"load hosts need the key store {KEY_STORE}, which is missing; make it with ./shardload keys and copy "
                "it to every load host",
            )


def resolve(host: str) -> str | None:
    """Return the IPv4 address of a name or address."""
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    return str(found[0][4][0]) if found else None


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback


def is_local(address: str) -> bool:
    """Whether this machine has an address: only then a socket can be bound to it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True


def route_to(address: str) -> str | None:
    """Return the local address from which packets to another one leave; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, DEFAULT_PORT))
        except OSError:
            return None
        return str(probe.getsockname()[0])
