"""Shortcuts and ``--options`` become overrides; which option set which key is kept for messages."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from shardload.config.hosts import FORM
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem, unknown
from shardload.config.secrets import refuse_in_options
from shardload.config.values import labels
from shardload.config.values.quantities import MOST_SEED, positive, positive_seconds, seconds, whole
from shardload.processes.hints import without_run_keys
from shardload.verbs.run import files_of

_FLAG = "--options"
_SECTIONS = ("execution", "scenarios", "workload", "schema", "target", "reporting")
# No key with a sign of Taurus's own: these delete, replace or reach beyond the section that is named.
_KEY = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
# Encryption and login of the target are the target file's: without them a secret or document could be read on its way.
_ALLOWED = re.compile(
    r"execution\.\d+\.(?!distributed(\.|$)).+|(scenarios|workload|schema)\..+|target\.options\.(?!ssl|tls|auth).+"
    r"|reporting\.\d+\.criteria(\.-?\d+)?"
)
_ALLOWED_TEXT = (
    "may be set in the target file or with -o, not here; keys of execution.0 (but distributed), scenarios, workload, "
    "schema, target.options (but ssl and auth) and reporting.1.criteria may"
)
_MOST_DAYS = 1000
_SIZE = re.compile(r"[A-Za-z0-9.]+( ?[A-Za-z]+)?")


def settle(options: argparse.Namespace, places: Places) -> None:
    """Add what shortcuts and ``--options`` set to the overrides of a verb that has them."""
    options.flags = {}
    is_run = options.verb == "run"
    given = [override for override in options.option if "=" in override]
    setters = {override.partition("=")[0]: "-o" for override in given}
    pairs = read_options(options.options or "")
    # Jenkins passes parameters of a build to --vary too.
    for text in options.vary if is_run else ():
        _check_varied(text)
    added: list[tuple[str, str]] = [(_FLAG, pair) for pair in (pairs if is_run else without_run_keys(pairs))]
    added += _shortcuts(options)
    named = labels.overrides_of(options.name, options.tag, options.note) if is_run else []
    for flag, override in named:
        refuse_in_options(flag, [override])
    added += named
    if getattr(options, "load_hosts", None) is not None:
        added.append(("--load-hosts", f"target.load-hosts={json.dumps(read_load_hosts(options.load_hosts))}"))
    if getattr(options, "duration", None) is not None:
        before = [*options.option, *(override for _, override in added)]
        added.append(("--duration", f"{_length_key(options, before, places)}={_duration(options.duration)}"))
    for flag, override in added:
        key = override.partition("=")[0]
        _refuse_twice(flag, key, setters)
        setters[key] = options.flags[key] = flag
    options.option = [*options.option, *(override for _, override in added)]


def read_options(text: str) -> list[str]:
    """Return the overrides of ``--options``; what could lead a password elsewhere is refused."""
    if any(not character.isprintable() and not character.isspace() for character in text):
        raise Problem(f"{_FLAG}: has a control character")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise Problem(f"{_FLAG}: {str(error).lower()}; quote values as in a shell") from None
    for number, word in enumerate(words, 1):
        key, equals, value = word.partition("=")
        if not equals or not _KEY.fullmatch(key):
            # The word itself may be a secret.
            raise Problem(
                f'{_FLAG}: word {number} is not a plain key=value, as in "execution.0.retries=2 schema.index=btree"'
            )
        if "\n" in value or "\r" in value:
            raise Problem(f"{_FLAG}: {key}: the value has a line break")
        _check_key(_FLAG, key)
    refuse_in_options(_FLAG, words)
    return words


def _check_key(flag: str, key: str) -> None:
    """Refuse a key that somebody who may only start tests must not set."""
    section = key.partition(".")[0]
    if not _ALLOWED.fullmatch(key):
        known = section in _SECTIONS or section in ("services", "modules", "settings", "cli", "provisioning")
        raise Problem(f"{flag}: {key} {_ALLOWED_TEXT}" if known else f"{flag}: {key}: {_unknown(section)}")


def _check_varied(text: str) -> None:
    key, equals, _ = text.partition("=")
    if equals and not _KEY.fullmatch(key):
        raise Problem('--vary: is not a plain key=value,value, as in "schema.index=hash,btree"')
    if equals:
        _check_key("--vary", key)


def _unknown(name: str) -> str:
    return unknown("section", name, _SECTIONS)


def read_load_hosts(text: str) -> list[str]:
    """Return the load hosts of a list with commas."""
    return check_load_hosts("--load-hosts", text.split(","))


def check_load_hosts(where: str, hosts: Sequence[object]) -> list[str]:
    """Return load hosts, each of the form that a target file may have."""
    checked = [str(host).strip() for host in hosts]
    for host in checked:
        if "@" in host:
            raise Problem(f"{where}: takes hosts and ports only; a user or password would appear in logs")
        if not FORM.fullmatch(host):
            shown = " ".join(host.split())
            raise Problem(f'{where}: "{shown}" is not a load host; write host or host:port')
    return checked


def _shortcuts(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the overrides of the shortcuts whose key is always the same."""
    readers: Mapping[str, tuple[str, Callable[[str], str]]] = {
        "rate": ("execution.0.throughput", lambda text: _number(positive(text.strip()))),
        "concurrency": ("execution.0.concurrency", lambda text: str(whole(text, 1, 100_000))),
        "documents": ("workload.data.documents", lambda text: str(whole(text, 1, MOST_SEED))),
        "url": ("target.url", lambda text: _text("url", text)),
        "user": ("target.user", lambda text: _text("user", text)),
        "document_size": ("workload.data.document-size", _size),
        "max_duration": ("search.max-duration", _length),
        "seed": ("workload.seed", lambda text: str(whole(text, 0, MOST_SEED))),
    }
    found = []
    for name, (key, read) in readers.items():
        text = getattr(options, name, None)
        if text is not None:
            flag = "--" + name.replace("_", "-")
            found.append((flag, f"{key}={_read(flag, text, read)}"))
    return found


def _read(flag: str, text: str, read: Callable[[str], str]) -> str:
    try:
        return read(text)
    except Problem as problem:
        raise Problem(f"{flag}: {' '.join(str(problem).split())}") from None


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _size(text: str) -> str:
    if not _SIZE.fullmatch(text.strip()):
        raise Problem(f'"{text}" is not a size; write it like 4KiB')
    return json.dumps(text.strip())  # a text also where it looks like a number


def _text(key: str, text: str) -> str:
    """Return a text of the target as an override has it; a secret in it is refused, and never shown."""
    value = json.dumps(text.strip())
    try:
        refuse_in_options("", [f"target.{key}={value}"])
    except Problem as problem:
        raise Problem(str(problem).partition(": ")[2]) from None
    return value


def _duration(text: str) -> str:
    return _read("--duration", text, _length)


def _length(text: str) -> str:
    if positive_seconds(text) > _MOST_DAYS * 86_400:
        raise Problem(f'"{text}" is more than {_MOST_DAYS}d')
    return json.dumps(text.strip())


def _length_key(options: argparse.Namespace, overrides: Sequence[str], places: Places) -> str:
    """Return the key that says how long the profile's load takes."""
    _read("--duration", options.duration, lambda text: str(seconds(text)))
    items = merge(files_of(options, places), overrides, places).config.get("execution")
    item = items[0] if isinstance(items, list) and items else items
    item = item if isinstance(item, Mapping) else {}
    is_varied = any(text.startswith("execution.0.steps=") for text in options.vary)
    if is_varied or item.get("steps") is not None:
        return "execution.0.ramp-up"
    if item.get("stages") is not None:
        raise Problem(
            f"--duration: the profile {options.profile} has stages; set the time of each with "
            "-o execution.0.stages.0.for=..."
        )
    if item.get("hold-for") is None:
        raise Problem(
            f"--duration: the profile {options.profile} has neither hold-for nor steps; set its ramp-up with "
            "-o execution.0.ramp-up=..."
        )
    return "execution.0.hold-for"


def _refuse_twice(flag: str, key: str, setters: Mapping[str, str]) -> None:
    """Refuse a key that two options set, or of which another sets a part."""
    for other, setter in setters.items():
        if other == key or other.startswith(f"{key}.") or key.startswith(f"{other}."):
            same = f"{setter} as well" if setter != flag else "it twice"
            raise Problem(f"{flag}: {key} is set by {same}; keep one of the two")
