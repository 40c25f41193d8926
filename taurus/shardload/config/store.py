"""Where figures of the machines come from: the store of ``target.metrics.url``, or ``target.host-metrics``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from shardload.config.hosts import is_local, resolve
from shardload.config.merge import KeyPath, Merged
from shardload.config.problem import Problem

KEYS = ("url", "token-env", "user", "password-env")
EXAMPLE = "http://127.0.0.1:8428"
LOCAL, OFF = "local", "off"

_METRICS: KeyPath = ("target", "metrics")
_HOST_METRICS: KeyPath = ("target", "host-metrics")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r"[!-~]+")
_LONGEST_PORT = 65535


@dataclass(frozen=True)
class Store:
    """A store with the query API of Prometheus; its secrets are in environment variables."""

    url: str
    token_env: str | None = None
    user: str | None = None
    password_env: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the section of the effective configuration, without what is not given."""
        given = {"token_env": self.token_env, "user": self.user, "password_env": self.password_env}
        return {"url": self.url, **{key: value for key, value in given.items() if value}}

    def check(self) -> None:
        """Refuse what could never work. Whether the store answers is not asked."""
        parts = _split(self.url)
        if self.token_env and (self.user or self.password_env):
            raise Problem("set either token-env, or user and password-env", "token-env")
        if self.user and not self.password_env:
            raise Problem("set password-env too, the name of an environment variable", "user")
        if self.password_env and not self.user:
            raise Problem("set user too", "password-env")
        if self.user and ":" in self.user:
            raise Problem(f'"{self.user}" contains a colon, which separates user and password', "user")
        for key, variable in (("token-env", self.token_env), ("password-env", self.password_env)):
            if variable:
                _check_secret(key, variable, parts)


def read_store(merged: Merged, section: Any) -> Store | None:
    """Return the store that the section ``metrics`` of a target names."""
    if not isinstance(section, Mapping):
        return None
    if section.get("url") is None:
        for key in KEYS[1:]:
            if section.get(key) is not None:
                merged.refuse((*_METRICS, key), "set url too, the address of the store")
        return None
    store = Store(
        str(section["url"]).strip(), section.get("token-env"), section.get("user"), section.get("password-env")
    )
    try:
        store.check()
    except Problem as problem:
        raise Problem(f"{merged.place((*_METRICS, problem.key or 'url'))}: {problem}") from None
    return store


def _split(url: str) -> SplitResult:
    if "@" in url:
        # Anywhere: a password may contain a slash. It is not in the message.
        raise Problem("a user or password in a URL would appear in logs; use the keys user and password-env", "url")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        port, host = 0, None
    is_port = port is None or 1 <= port <= _LONGEST_PORT
    if host is None or not is_port or parts.scheme not in ("http", "https") or re.search(r"\s", url):
        raise Problem(f'"{url}" is not an address of a store; write it as {EXAMPLE}', "url")
    if parts.query or parts.fragment:
        raise Problem("must end with the path, before /api/v1/query", "url")
    return parts


def _check_secret(key: str, variable: str, url: SplitResult) -> None:
    if not _VARIABLE.fullmatch(variable):
        raise Problem("must be the name of an environment variable", key)
    secret = os.environ.get(variable)
    if not secret:
        raise Problem(f"the environment variable {variable} is not set", key)
    if key == "token-env" and not _TOKEN.fullmatch(secret):
        raise Problem(f"the environment variable {variable} contains characters that a token cannot have", key)
    host = url.hostname or ""
    address = "127.0.0.1" if host == "::1" else resolve(host)
    if url.scheme == "http" and (address is None or not is_local(address)):
        raise Problem(f"the secret would be sent to {host} in clear text; use https", key)


def read_host_metrics(merged: Merged, target: Mapping[str, Any]) -> str:
    """Return ``local`` or ``off``. A store takes the place of sampling: a target names one of the two."""
    value = target.get("host-metrics")
    value = OFF if value is False else value  # YAML takes off for false
    metrics = target.get("metrics")
    store = isinstance(metrics, Mapping) and metrics.get("url")
    if store and value == LOCAL:
        merged.refuse(_HOST_METRICS, "metrics.url replaces host-metrics; remove one of the two")
    return OFF if store or value == OFF else LOCAL
