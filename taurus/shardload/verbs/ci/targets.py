"""The verb ``targets``: which targets there are, whether they answer, and what a run of them takes."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.keys import FOREIGN_TO_DRIVERS
from shardload.config.merge import Merged, read_source
from shardload.config.paths.find import argument, find_file, list_names, name_of_argument
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.session import Session
from shardload.terminal import Terminal
from shardload.verbs.ci.locks import credentials_of, lock_names
from shardload.verbs.ci.overrides import check_load_hosts, read_load_hosts

# Of the child, by the targets' names.
_Answers = Mapping[str, Mapping[str, Any]]


@dataclass
class TargetFile:
    """The file of a target: its section ``target``, or what is wrong with it."""

    name: str
    path: Path
    section: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    @staticmethod
    def read(text: str, places: Places) -> TargetFile:
        """Read it, by its name or path; what is wrong is kept."""
        name, path = name_of_argument(text), find_file(places, "target", text)
        try:
            source = read_source(path, places)
        except Problem as problem:
            return TargetFile(name, path, problem=str(problem))
        section = source.content.get("target") or {}
        if not isinstance(section, dict):
            return TargetFile(name, path, problem="target: is not a section with driver and url")
        return TargetFile(name, path, section)

    @property
    def load_hosts(self) -> Any:
        """Its load hosts as written in the file."""
        return self.section.get("load-hosts")


def targets(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """List targets, check them, or print what a caller must lock or set."""
    names = list(dict.fromkeys(name for name in options.names if name))
    _check_use(options, names)
    if not 0 < options.timeout < math.inf:
        raise Problem(f'--timeout: "{options.timeout:g}" is not a time; write a number of seconds above 0')
    names = list(dict.fromkeys(argument(places, "target", find_file(places, "target", name)) for name in names))
    files = [TargetFile.read(name, places) for name in names or list_names(places, "target")]
    _refuse_same_name(files)
    if options.load_hosts is not None:
        for file in files:
            file.section["load-hosts"] = read_load_hosts(options.load_hosts)
    if options.lock or options.credentials:
        for line in sorted(_locks(files) if options.lock else _credentials(files)):
            print(line)
        return exit_codes.OK
    has_engines = options.check and any(file.load_hosts is not None for file in files)
    with Session({}, Merged({}), places, terminal, None, with_jmeter=has_engines) as session:
        answers = _ask(session, files, options.timeout)
        troubles = _troubles(session, files, answers) if options.check else []
    _show(_rows(files, answers, places), terminal)
    for trouble in troubles:
        terminal.line(f"shardload: {trouble}")
    return exit_codes.WRONG_USE if troubles else exit_codes.OK


def _refuse_same_name(files: Sequence[TargetFile]) -> None:
    names = [file.name for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise Problem(f"two of the targets are named {twice}; ask for them one after the other")


def _check_use(options: argparse.Namespace, names: Sequence[str]) -> None:
    for flag in ("check", "lock", "credentials"):
        if getattr(options, flag) and not names:
            raise Problem(f"--{flag}: name one target or more, as in shardload targets NAME --{flag}")
    if options.load_hosts is not None and not (options.check or options.lock):
        raise Problem("--load-hosts: only together with --check or --lock")


def _locks(files: Sequence[TargetFile]) -> set[str]:
    return {name for file in files for name in _read(file, lock_names)}


def _credentials(files: Sequence[TargetFile]) -> Collection[str]:
    """Return the name of the credentials for each variable; of targets with the same variable the first counts."""
    names: dict[str, str] = {}
    for file in files:
        for variable in _read(file, credentials_of):
            names.setdefault(variable, f"shardload-{file.name}-{variable}")
    return names.values()


def _read(file: TargetFile, read: Callable[[Mapping[str, Any]], set[str]]) -> set[str]:
    if file.problem:
        raise Problem(file.problem if file.name in file.problem else f"{file.name}: {file.problem}")
    try:
        return read(file.section)
    except Problem as problem:
        raise Problem(f"{file.name}: {problem}") from None


def _ask(session: Session, files: Sequence[TargetFile], timeout: float) -> _Answers:
    """Ask all servers at once; answer by the targets' names."""
    asked = {
        file.name: {key: value for key, value in file.section.items() if key not in FOREIGN_TO_DRIVERS}
        for file in files
        if not file.problem
    }
    answers: _Answers = session.call("targets", targets=asked, timeout_seconds=timeout)["targets"]
    return answers


def _answer(file: TargetFile, answers: _Answers) -> str:
    return file.problem or str(answers[file.name]["answer"])


def _troubles(session: Session, files: Sequence[TargetFile], answers: _Answers) -> list[str]:
    """Return a line for everything that keeps a run from starting."""
    troubles = []
    for file in files:
        if file.problem or not answers[file.name].get("ready"):
            troubles.append(f"{file.name}: {_answer(file, answers)}")
        try:
            troubles += [f"{file.name}: {line}" for line in _troubles_of_hosts(session, file)]
        except Problem as problem:
            troubles.append(f"{file.name}: {problem}")
    return troubles


def _troubles_of_hosts(session: Session, file: TargetFile) -> list[str]:
    """Return what keeps load hosts and the Redis where they meet from taking part."""
    if file.load_hosts is None:
        return []
    listed = file.load_hosts if isinstance(file.load_hosts, list) else [file.load_hosts]
    redis = file.section.get("redis")
    redis = redis if isinstance(redis, Mapping) else {}
    reply = session.call(
        "load-hosts",
        list=check_load_hosts("target.load-hosts", listed),
        redis_url=str(redis.get("url") or ""),
        redis_password_env=str(redis.get("password-env") or ""),
    )
    return [str(line) for line in reply["troubles"]]


def _rows(files: Sequence[TargetFile], answers: _Answers, places: Places) -> list[tuple[str, ...]]:
    any_hosts = any(file.load_hosts for file in files)
    rows: list[tuple[str, ...]] = [
        ("target", "driver", "address", "answers", *(["load hosts"] if any_hosts else []), "file")
    ]
    for file in files:
        built_in = (answers.get(file.name) or {}).get("built_in")
        address = f"built in: {built_in}" if built_in else _without_user(str(file.section.get("url") or "-"))
        path = places.show(file.path)
        hosts = [_listed(file.load_hosts)] if any_hosts else []
        rows.append((file.name, str(file.section.get("driver", "?")), address, _answer(file, answers), *hosts, path))
    return rows


def _show(rows: Sequence[tuple[str, ...]], terminal: Terminal) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        terminal.line(terminal.paint(text, "bold") if number == 0 else text)


def _listed(hosts: Any) -> str:
    return ", ".join(map(str, hosts)) if isinstance(hosts, list) else str(hosts or "-")


def _without_user(url: str) -> str:
    """Return a URL that may be shown: the part before an @ may be a password."""
    scheme, slashes, rest = url.partition("://")
    _user, at, place = rest.rpartition("@")
    return f"{scheme}{slashes}...@{place}" if at else url
