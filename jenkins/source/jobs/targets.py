"""The target files, as far as their jobs depend on them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from .problem import Problem

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SENTENCE_END = re.compile(r"(?<=\.)\s")
# A folder of that name holds the matrix jobs.
_MATRIX = "matrix"


@dataclass(frozen=True)
class Target:
    """A target: its name, the driver that the folder of its job is named after, and what its file says about it."""

    name: str
    driver: str
    has_cluster: bool
    description: str


def read_targets(folder: Path) -> list[Target]:
    """Return the targets of the folder by name."""
    return [_read(path) for path in sorted(folder.glob("*.yml"))]


def _read(path: Path) -> Target:
    text = path.read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    section = content.get("target") if isinstance(content, dict) else None
    if not isinstance(section, dict):
        raise Problem(f"{path}: the section target is missing")
    driver = section.get("driver")
    for what, name in (("the name of the file", path.stem), ("target.driver", driver)):
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name == _MATRIX:
            raise Problem(f"{path}: {what} cannot be part of a job's name: {name}")
    return Target(path.stem, str(driver), "url" in section, html.escape(_first_sentence(text), quote=False))


def _first_sentence(text: str) -> str:
    """Return the first sentence of the comment that the file begins with."""
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server:"):  # for editors
            comment.append(line.lstrip("#").strip())
    return _SENTENCE_END.split(" ".join(comment), maxsplit=1)[0]
