"""Replaces what must stay private in every text that other programs wrote: names, addresses, users, secrets, paths.

What is known is replaced literally. What looks like an address, a path or a name with dots is replaced as well, because
a server's message may name machines that shardload does not know.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from shardload.config.paths.find import is_path, name_of_argument
from shardload.config.problem import Problem
from shardload.verbs.acceptance.loads import read
from shardload.verbs.acceptance.model import Scene
from shardload.verbs.ci.locks import addresses_of, credentials_of, machines_of

HOST, USER, SECRET, PLACE, DATABASE, TARGET = "<host>", "<user>", "<secret>", "<path>", "<database>", "<target>"
# The product's own name, which is the default user and database of many target files.
_PRODUCT = "shardload"
_PORT = re.compile(r"\b(?!line:)[A-Za-z][\w.-]*:\d{2,5}\b")
# First words of option keys, and endings of files, both of shardload's own.
_KEYS = ("target", "schema", "workload", "execution", "scenarios", "reporting", "settings", "data", "services")
_FILES = ("yml", "json", "html", "log", "txt", "xml", "jar", "sh", "py")
_CLASS_OR_VERSION = re.compile(r"(?:[a-z][a-z0-9_]*\.)+[A-Z]\w*(?:\.[A-Za-z]\w*)*|v?\d+(?:\.\w+)+(?:[+-][\w.+-]+)?")
# Of environment.json and hosts.json, where a machine stands without a port; longer texts are plans.
_HOST_KEYS = ("host", "machine", "shard", "member")
_LONGEST_TEXT = 2000
_SHORT = 3


def _unless_ours(match: re.Match[str]) -> str:
    text = match[0]
    is_ours = text.split(".")[0] in _KEYS or text.rpartition(".")[2] in _FILES or _CLASS_OR_VERSION.fullmatch(text)
    return text if is_ours else HOST


def _unless_rate(match: re.Match[str]) -> str:
    """Keep fractions and rates such as ``100/s``."""
    return match[0] if re.fullmatch(r"/(s|h|min|ms|\d+)", match[0]) else PLACE


Shape = tuple[str, "str | Callable[[re.Match[str]], str]"]
# Before hosts are replaced in them, and after all that is known.
_BEFORE: tuple[Shape, ...] = (
    (r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>)]+", HOST),
    (r"\b\d{8}-\d{6}-[\w.-]+", "<run>"),
    (r"(?:\S*/)?taurus/targets/[^\s:'\"/]+\.yml", "<target file>"),
)
_AFTER: tuple[Shape, ...] = (
    (r"\b[\w.+-]+@[\w.-]+\b", USER),
    (r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]*\d)", HOST),
    (r"\[?(?<![\w:.])(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\]?(?::\d+)?(?![\w:])", HOST),
    (_PORT.pattern, HOST),
    (rf"\[{HOST}\](?::\d{{1,5}}\b)?|{HOST}:\d{{1,5}}\b", HOST),
    (r"\b[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+\b", _unless_ours),
    (r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+~-]+){1,}/?", _unless_rate),
)


class Redactor:
    """Replaces what is known literally, then what looks like it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def add(self, word: str, *texts: object) -> None:
        """Have texts replaced by a word, wherever they stand by themselves."""
        shown = [str(text or "").strip() for text in texts]
        self._known = {**{text: word for text in shown if text and text.lower() != _PRODUCT}, **self._known}

    def add_host(self, host: str) -> None:
        """Have a host replaced by its name, the first part of it, and its addresses."""
        name = host.strip("[]")
        first = name.partition(".")[0]
        if name:
            self.add(HOST, name, *addresses_of(name), "" if first.isdigit() else first)

    def __call__(self, text: str) -> str:
        """Return a text without anything of the house."""
        text = self._without_known(text, SECRET)
        for shape, word in _BEFORE:
            text = re.sub(shape, word, text)
        for name in (PLACE, HOST, USER, DATABASE, TARGET):
            text = self._without_known(text, name)
        for shape, word in _AFTER:
            text = re.sub(shape, word, text)
        return text

    def _without_known(self, text: str, word: str) -> str:
        # A secret is replaced inside of other words too; "root" is a user and a part of "ssl-root-certificate".
        before, after = {
            SECRET: ("", ""), USER: (r"(?<![\w.-])", r"(?![\w-]|\.\w)"), TARGET: (r"(?<![\w.-])", r"(?![\w-]|\.\w)")
        }.get(word, (r"(?<!\w)", r"(?!\w)"))  # fmt: skip
        for known in sorted((known for known, is_for in self._known.items() if is_for == word), key=len, reverse=True):
            # "citus" may be a target's name and Citus a product; "vm" a machine's and VM a part of Java's.
            flags = 0 if word == TARGET or len(known) <= _SHORT else re.IGNORECASE
            text = re.sub(f"{before}{re.escape(known)}{after}", word, text, flags=flags)
        return text


def of_scene(scene: Scene, secrets: Iterable[str]) -> Redactor:
    """Return what hides this machine, its user, the targets, the services, and every machine that a run has named."""
    hide, environment = Redactor(), scene.environment
    hide.add(SECRET, *(environment.get(name) for name in secrets))
    hide.add(PLACE, scene.places.root, Path.home(), environment.get("HOME"), Path.cwd())
    hide.add(USER, environment.get("USER"), environment.get("LOGNAME"))
    with suppress(KeyError, OSError):
        hide.add(USER, getpass.getuser())
    hosts = [socket.gethostname(), socket.getfqdn()]
    for name, section in {scene.target: scene.section, **scene.others}.items():
        with suppress(Problem):
            hide.add(SECRET, *(environment.get(variable) for variable in credentials_of(section)))
        hide.add(TARGET, "" if section.get("embedded") else name_of_argument(name))
        hide.add(PLACE, name if is_path(name) else "")
        database = str(section.get("url") or "").partition("://")[2].partition("/")[2]
        hide.add(DATABASE, unquote(database.partition("?")[0]))
        metrics = section.get("metrics")
        metrics = metrics if isinstance(metrics, Mapping) else {}
        hide.add(USER, section.get("user"), metrics.get("user"))
        hosts += [_host_of(str(metrics.get(key) or "")) for key in ("url", "listen")]
        with suppress(Problem):
            hosts += machines_of(section)
    hosts += [_host_of(url or "") for url in (scene.options.jenkins, scene.options.grafana)]
    for run in scene.runs:
        for file in ("environment.json", "hosts.json", "run.json"):
            hosts += _machines_in(read(scene.places.runs / run, file))
    for host in dict.fromkeys(hosts):
        hide.add_host(host)
    return hide


def _host_of(address: str) -> str:
    return urlsplit(address if "//" in address else f"//{address}").hostname or ""


def _machines_in(value: Any, key: str = "") -> Iterator[str]:
    """Yield every machine that a JSON value names as ``host:port`` or under a key for hosts."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _machines_in(str(name))
            yield from _machines_in(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _machines_in(item)
    elif isinstance(value, str) and len(value) < _LONGEST_TEXT:
        yield from [value] if key in _HOST_KEYS and re.fullmatch(r"[\w.-]+", value) else []
        yield from (port.rpartition(":")[0] for port in _PORT.findall(value))
