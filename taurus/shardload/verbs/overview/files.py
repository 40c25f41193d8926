"""The verbs ``profiles`` and ``workloads``: the available files, and the description in each."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from shardload import exit_codes
from shardload.config.merge import find_file, list_names
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal, cut


def profiles(options: argparse.Namespace, places: Places) -> int:
    """List the profiles, or show one."""
    return _show("profile", options.profile, places)


def workloads(options: argparse.Namespace, places: Places) -> int:
    """List the workloads, or show one."""
    return _show("workload", options.workload, places)


def _show(kind: str, name: str | None, places: Places) -> int:
    terminal = Terminal()
    if name is None:
        _list(kind, places, terminal)
    else:
        file = find_file(places, kind, name)
        for line in [*prose(file), "", f"file  {places.show(file)}", f"run   shardload run --{kind} {name}"]:
            terminal.line(line)
    return exit_codes.OK


def _list(kind: str, places: Places, terminal: Terminal) -> None:
    names = list_names(places, kind)
    width = max(map(len, [*names, kind]))
    terminal.line(terminal.paint(f"{kind:<{width}}  what it is for", "bold"))
    for name in names:
        text = f"{name:<{width}}  {first_sentence(prose(find_file(places, kind, name)))}".rstrip()
        terminal.line(cut(text, terminal.width) if terminal.is_terminal else text)
    terminal.line(f"shardload {kind}s NAME shows one in full.")


def prose(file: Path) -> list[str]:
    """Return the comment that a file begins with, without its marks."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"cannot read {file}: {error}") from error
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server:"):
            lines.append(line.removeprefix("#").removeprefix(" ").rstrip())
    return lines


def first_sentence(lines: list[str]) -> str:
    """Return the first sentence of a comment, on one line; what follows an empty line does not belong to it."""
    paragraph = " ".join("\n".join(lines).strip().partition("\n\n")[0].split())
    found = re.match(r".*?[.?](?= [A-Z0-9]|$)", paragraph)
    return found[0] if found else paragraph
