"""Replaces what must stay private in every text that other programs wrote: names, addresses, users, secrets, paths.

What is known is replaced literally. What looks like an address, a path or a name with dots is replaced as well, because
a server's message may name machines that shardload does not know.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from shardload.config.problem import Problem
from shardload.verbs.ci.locks import addresses_of, credentials_of, machines_of

HOST, USER, SECRET, PLACE, RUN, DATABASE = "<host>", "<user>", "<secret>", "<path>", "<run>", "<database>"
TARGET, TARGET_FILE = "<target>", "<target file>"
# Characters that may not be next to a word that is replaced. A secret is replaced inside of other words too; "root"
# is a user and a part of "ssl-root-certificate".
_AROUND = {SECRET: ("", ""), USER: (r"(?<![\w.-])", r"(?![\w-]|\.\w)"), TARGET: (r"(?<![\w.-])", r"(?![\w-]|\.\w)")}
# The product's own name, which is the default user and database of many target files.
_PRODUCT = "shardload"
_RUN = re.compile(r"\b\d{8}-\d{6}-[\w.-]+")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>)]+")
_MAIL = re.compile(r"\b[\w.+-]+@[\w.-]+\b")
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]*\d)")
_IPV6 = re.compile(
    r"\[?(?<![\w:.])(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\]?(?::\d+)?(?![\w:])"
)
_PORT = re.compile(r"\b(?!line:)[A-Za-z][\w.-]*:\d{2,5}\b")
_PORT_OF_HOST = re.compile(rf"\[{HOST}\](?::\d{{1,5}}\b)?|{HOST}:\d{{1,5}}\b")
_TARGET_FILE = re.compile(r"(?:\S*/)?taurus/targets/[^\s:'\"/]+\.yml")
_FILE = re.compile(r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+~-]+){1,}/?")
_DOTTED = re.compile(r"\b[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+\b")
# First words of option keys, and endings of files, both of shardload's own.
_KEYS = ("target", "schema", "workload", "execution", "scenarios", "reporting", "settings", "data", "services")
_FILES = ("yml", "json", "html", "log", "txt", "xml", "jar", "sh", "py")
_CLASS = re.compile(r"(?:[a-z][a-z0-9_]*\.)+[A-Z]\w*(?:\.[A-Za-z]\w*)*")
# Of environment.json and hosts.json, where a machine stands without a port; texts beyond are plans.
_HOST_KEYS = ("host", "machine", "shard", "member")
_LONGEST_TEXT = 2000
_SHORT = 3
_VERSION = re.compile(r"v?\d+(?:\.\w+)+(?:[+-][\w.+-]+)?")


class Redactor:
    """Replaces what is known literally, then what looks like it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def add(self, word: str, texts: Iterable[object]) -> None:
        """Have texts replaced by a word, wherever they stand by themselves."""
        for text in texts:
            shown = str(text or "").strip()
            if shown and shown.lower() != _PRODUCT:
                self._known.setdefault(shown, word)

    def __call__(self, text: str) -> str:
        """Return a text without anything of the house."""
        text = self._replace(text, (SECRET,))
        # Before hosts are replaced in them.
        text = _TARGET_FILE.sub(TARGET_FILE, _RUN.sub(RUN, _URL.sub(HOST, text)))
        text = self._replace(text, (PLACE, HOST, USER, DATABASE, TARGET))
        text = _MAIL.sub(USER, text)
        for pattern in (_IPV4, _IPV6, _PORT, _PORT_OF_HOST):
            text = pattern.sub(HOST, text)
        return _FILE.sub(_path, _DOTTED.sub(_name, text))

    def _replace(self, text: str, words: Iterable[str]) -> str:
        for word in words:
            before, after = _AROUND.get(word, (r"(?<!\w)", r"(?!\w)"))
            for known in sorted(
                (known for known, is_for in self._known.items() if is_for == word), key=len, reverse=True
            ):
                # "citus" may be a target's name and Citus a product; "vm" a machine's and VM a part of Java's.
                flags = 0 if word == TARGET or len(known) <= _SHORT else re.IGNORECASE
                text = re.sub(f"{before}{re.escape(known)}{after}", word, text, flags=flags)
        return text


def _name(match: re.Match[str]) -> str:
    text = match[0]
    is_ours = text.split(".")[0] in _KEYS or text.rpartition(".")[2] in _FILES
    return text if is_ours or _CLASS.fullmatch(text) or _VERSION.fullmatch(text) else HOST


def _path(match: re.Match[str]) -> str:
    """Keep fractions and rates such as ``100/s``."""
    return match[0] if re.fullmatch(r"/(s|h|min|ms|\d+)", match[0]) else PLACE


def of_machine(environment: Mapping[str, str], root: Path, names: Iterable[str]) -> Redactor:
    """Return what hides this machine, its user and the secrets in the named variables."""
    redactor = Redactor()
    redactor.add(SECRET, [environment.get(name) for name in names])
    redactor.add(PLACE, [root, Path.home(), environment.get("HOME"), Path.cwd()])
    redactor.add(USER, [*(environment.get(variable) for variable in ("USER", "LOGNAME")), _own_user()])
    for host in (socket.gethostname(), socket.getfqdn()):
        add_host(redactor, host)
    return redactor


def add_target(redactor: Redactor, name: str, section: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Add the name of a target, all hosts of its file with their addresses, its database, users and secrets."""
    redactor.add(SECRET, [environment.get(variable) for variable in _variables(section)])
    if not section.get("embedded"):
        redactor.add(TARGET, [name])
    database = str(section.get("url") or "").partition("://")[2].partition("/")[2]
    redactor.add(DATABASE, [unquote(database.partition("?")[0])])
    metrics = section.get("metrics")
    redactor.add(USER, [section.get("user"), metrics.get("user") if isinstance(metrics, Mapping) else None])
    for host in _hosts(section):
        add_host(redactor, host)


def _own_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _variables(section: Mapping[str, Any]) -> set[str]:
    try:
        return credentials_of(section)
    except Problem:
        return set()


def _hosts(section: Mapping[str, Any]) -> list[str]:
    metrics = section.get("metrics")
    addresses = [str(metrics.get(key) or "") for key in ("url", "listen")] if isinstance(metrics, Mapping) else []
    named = [urlsplit(address if "//" in address else f"//{address}").hostname or "" for address in addresses]
    try:
        return [*named, *machines_of(section)]
    except Problem:
        return named


def add_host(redactor: Redactor, host: str) -> None:
    """Add a host by its name, the first part of it, and its addresses."""
    name = host.strip("[]")
    if name:
        first = name.partition(".")[0]
        redactor.add(HOST, [name, *addresses_of(name), *([] if first.isdigit() else [first])])


def add_found(redactor: Redactor, value: Any) -> None:
    """Add every machine that a JSON value names as ``host:port`` or under a key for hosts: found at run time."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            add_found(redactor, str(key))
            if key in _HOST_KEYS and isinstance(item, str) and re.fullmatch(r"[\w.-]+", item):
                add_host(redactor, item)
            add_found(redactor, item)
    elif isinstance(value, list):
        for item in value:
            add_found(redactor, item)
    elif isinstance(value, str):
        for match in _PORT.finditer(value) if len(value) < _LONGEST_TEXT else ():
            add_host(redactor, match[0].rpartition(":")[0])


def add_url(redactor: Redactor, url: str) -> None:
    """Add the host of an address."""
    add_host(redactor, urlsplit(url).hostname or "")
