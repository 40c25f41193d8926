"""The Jenkinsfiles as Groovy's parser reads them (``jenkins/checks``), and the steps in them."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import JENKINS, ROOT

JAR = JENKINS / "checks" / "target" / "shardload-jenkins.jar"
# It lives for a second or two: a full compiler would not pay.
PARSER = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", str(JAR))
JENKINSFILE = ROOT / "Jenkinsfile"
MATRIX = JENKINS / "matrix.Jenkinsfile"


def read(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Return ``findings`` and ``pipeline`` of each file."""
    if not JAR.exists():
        pytest.fail("jenkins/checks is not built: run ./shardload test jenkins")
    done = subprocess.run([*PARSER, *map(str, files)], capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return list(json.loads(done.stdout))


@functools.cache
def pipelines() -> Mapping[Path, dict[str, Any]]:
    """Return the pipelines of the Jenkinsfiles of this checkout."""
    files = (JENKINSFILE, MATRIX)
    return {file: one["pipeline"] for file, one in zip(files, read(files))}


@dataclass(frozen=True)
class Step:
    """A step, and what it is within: conditions of post, and options and blocks with their arguments."""

    name: str
    line: int
    arguments: Mapping[str, Any]
    within: tuple[str, ...]

    @property
    def script(self) -> str:
        """The command of sh on one line."""
        return " ".join(str(self.arguments.get("script", "")).split())


def steps_of(pipeline: Mapping[str, Any]) -> Iterator[Step]:
    """Yield all steps in the order of the file."""
    yield from _of_stages(pipeline["stages"], ())
    yield from _of_post(pipeline["post"], ("pipeline",))


def _of_stages(stages: Sequence[Mapping[str, Any]], within: tuple[str, ...]) -> Iterator[Step]:
    for stage in stages:
        inside = (*within, *map(_shown, stage["options"]))
        yield from _of_block(stage.get("steps", ()), inside)
        yield from _of_stages(stage["stages"], inside)
        yield from _of_post(stage["post"], inside)


def _of_post(post: Mapping[str, Any], within: tuple[str, ...]) -> Iterator[Step]:
    for condition, entries in post.items():
        yield from _of_block(entries, (*within, condition))


def _of_block(entries: Sequence[Mapping[str, Any]], within: tuple[str, ...]) -> Iterator[Step]:
    for entry in entries:
        inside = within
        if "name" in entry:
            yield Step(entry["name"], entry["line"], entry["arguments"], within)
            inside = (*within, _shown(entry))
        for part in ("steps", "then", "else"):
            yield from _of_block(entry.get(part, ()), inside)


def _shown(entry: Mapping[str, Any]) -> str:
    return " ".join(map(str, (entry["name"], *entry["arguments"].values())))
