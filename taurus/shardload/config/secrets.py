"""Secrets come from the environment: what looks like one in a file or an override is refused, and never shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from shardload.config.keys import FOR_ANCHORS
from shardload.config.merge import KeyPath, Merged, show_path
from shardload.config.paths.reading import check_name, read_value
from shardload.config.problem import Problem

_SHOWN = 60
_SECTIONS = ("target", "schema", "workload", "execution", "reporting", "services", "run")
_SECRET = re.compile(r"pass(wd|word|phrase)|pwd|secret|token|credential|(api|access|private)key")
# The sections of a workload folder, whose keys are names.
_OF_NAMES = ("parameters", "transactions", "checks")
_USER_INFO = re.compile(r"://\S*@")
_PARAMETER = re.compile(r"[?&]\w*(user|pass(word|wd)?|secret|token)=", re.IGNORECASE)
_METRICS: KeyPath = ("target", "metrics")
_REDIS: KeyPath = ("target", "redis")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Taurus sets these itself: in its own base configuration, and for every run.
_VARIABLES_OF_TAURUS = ("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "TAURUS_ARTIFACTS_DIR")

_NO_VARIABLE = "must be the name of an environment variable; leave it out where there is no password"
_IN_FILES = "secrets are not allowed in files or overrides; set an environment variable and name it in {}"
_IN_URL = "a user or password in a URL would appear in logs; write {} instead"
_IN_QUERY = "a secret or user in the query of a URL would appear in logs; write {} instead"
_IN_ENV = "secrets would reach files; set the environment variable in the shell instead"


def refuse_in_options(flag: str, options: Iterable[str]) -> None:
    """Refuse the first KEY=VALUE that holds a secret, or would grow without end; the message names the key alone."""
    for option in options:
        name, _, text = option.partition("=")
        path = tuple(name.split("."))
        try:
            check_name(name)
            value = read_value(text)
        except Problem as problem:
            raise Problem(f"{flag} {name if len(name) <= _SHOWN else name[:_SHOWN] + '...'}: {problem}") from None
        for where, why in _findings((), _nested(path, value)):
            shown = f"{flag} {name}"
            inner = show_path(where)
            raise Problem(f"{shown}: {why}" if inner == name else f"{shown}: {inner}: {why}")
        if [part.lstrip("~$^*") for part in path[:2]] == ["settings", "env"]:
            raise Problem(f"{flag} {name}: {_IN_ENV}")


def check_secrets(merged: Merged) -> None:
    """Refuse secrets in the merged configuration and in its overrides, those that others replaced included."""
    refuse_in_options("-o", merged.overrides)
    anchors = [key for key in merged.config if key.startswith(FOR_ANCHORS)]
    for section in (*_SECTIONS, *anchors):
        for where, why in _findings((section,), merged.config.get(section)):
            merged.refuse(where, why)
    settings = merged.config.get("settings")
    env = settings.get("env") if isinstance(settings, Mapping) else None
    path = ("settings", "env")
    foreign = [name for name in env if name not in _VARIABLES_OF_TAURUS] if isinstance(env, Mapping) else env
    if foreign or merged.where(path):
        merged.refuse(path, _IN_ENV)


def _nested(path: KeyPath, value: Any) -> Any:
    for part in reversed(path):
        value = {part: value}
    return value


def _findings(path: KeyPath, value: Any) -> Iterator[tuple[KeyPath, str]]:
    """Yield where a secret stands, and why it may not."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            where = (*path, key)
            name = re.sub(r"[~$^*_-]", "", str(key)).lower()
            if name in ("passwordenv", "tokenenv", "sslkeypasswordenv"):
                if item is not None and not _VARIABLE.fullmatch(str(item)):
                    yield where, _NO_VARIABLE
            elif _SECRET.search(name) and item is not None and not _is_name(where, item):
                yield where, _IN_FILES.format(_variable_key(where, name))
            elif name == "url" and "@" in str(item):
                yield where, _IN_URL.format(_keys_beside(where))
            else:
                yield from _findings(where, item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _findings((*path, index), item)
    elif isinstance(value, str) and (why := _in_text(value)):
        yield path, why.format(_keys_beside(path))


def _is_name(path: KeyPath, item: Any) -> bool:
    """Whether a key is a name of the user's own: of a transaction, or of a column whose values are generated."""
    if path[0] == "scenarios":
        return True
    if path[0] != "workload" or len(path) < 3:
        return False
    if path[1] == "transactions" and len(path) > 3 and ("equal" in path[3:-1] or "capture" in path[3:-1]):
        return True
    # A mapping says how values are made; a secret would be a text.
    return isinstance(item, Mapping) and (path[1] in _OF_NAMES or path[1:3] == ("data", "tables"))


def _in_text(value: str) -> str | None:
    return _IN_URL if _USER_INFO.search(value) else _IN_QUERY if _PARAMETER.search(value) else None


def _section(path: KeyPath) -> KeyPath:
    """Return the section with the credentials of whatever a key belongs to."""
    return path[:2] if path[:2] in (_METRICS, _REDIS) else ("target",)


def _keys_beside(path: KeyPath) -> str:
    """Return the keys that take the place of what a URL may not hold."""
    section = _section(path)
    keys = ("password-env",) if section == _REDIS else ("user", "password-env")
    return " and ".join(show_path((*section, key)) for key in keys)


def _variable_key(path: KeyPath, name: str) -> str:
    """Return the key that names the environment variable of a secret."""
    section = _section(path)
    return show_path((*section, "token-env" if section == _METRICS and name == "token" else "password-env"))
