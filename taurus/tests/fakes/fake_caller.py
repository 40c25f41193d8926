"""A launcher that knows only the commands that a test told it, and records each call."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardload.config.places import Places
from shardload.results.handover import ResultsFolder
from shardload.verbs.acceptance.calls import Answer, Commands, Watch
from shardload.verbs.acceptance.model import Scene

CLEAN = {"verdict": "clean", "walked": 2050, "counts": {"lost": 0}, "findings": []}
BUNDLE = {"run.json": {}, "verification.json": CLEAN}


@dataclass
class Told:
    """A command by words that must be in it, and how it ends; a run leaves a bundle."""

    words: tuple[str, ...]
    code: int = 0
    output: str = ""
    bundle: Mapping[str, Any] | None = None
    seconds: Sequence[Mapping[str, Any]] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class FakeCaller(Commands):
    """Answers as told. A command that fits nothing that was told is an error of the test."""

    def __init__(self, runs: Path, *told: Told) -> None:
        self.runs = runs
        self.told = list(told)
        self.calls: list[list[str]] = []

    def call(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, watch: Watch | None = None
    ) -> Answer:
        self.calls.append(list(words))
        for told in self.told:
            fits = words[0] == told.words[0] and all(word in words for word in told.words)
            if fits and dict(told.environment) == dict(environment or {}):
                return self._answer(told, words, watch)
        raise AssertionError(f"nobody told of: {' '.join(words)} {dict(environment or {})}")

    def _answer(self, told: Told, words: Sequence[str], watch: Watch | None) -> Answer:
        if told.bundle is not None:
            bundle = leave(self.runs / f"20260101-00000{len(self.calls)}-t-smoke", told.bundle, told.seconds)
            results = ResultsFolder(Path(words[words.index("--results") + 1]))
            results.empty()
            results.note_run(bundle.name)
        is_killed = watch is not None and watch(told.output) == "SIGKILL"
        return Answer(-9 if is_killed else told.code, told.output)


def leave(bundle: Path, files: Mapping[str, Any], seconds: Sequence[Mapping[str, Any]] = ()) -> Path:
    """Write a bundle with these files and lines of the ledger."""
    (bundle / "latencies").mkdir(parents=True)
    for name, content in files.items():
        (bundle / name).write_text(json.dumps(content))
    lines = "".join(json.dumps(line) + "\n" for line in seconds)
    (bundle / "latencies" / "generator-0.jsonl").write_text(lines)
    return bundle


def scene(root: Path, *told: Told, server: str = "PostgreSQL 18.6", **given: Any) -> Scene:
    """Return the scene of a target with one host and a password; what is given are options of the verb, or parts."""
    places = Places(root)
    section = {"url": "postgresql+db://db1.example:5432/orders", "user": "tester", "password-env": "MINE_PASSWORD"}
    section.update(given.pop("section", {}))
    environment = given.pop("environment", {})
    places.runs.mkdir(parents=True, exist_ok=True)
    values: dict[str, Any] = {"target": "mine", "recreate": False, "replace_foreign": False, "discard_unsettled": []}
    for name in ("failover_command", "foreign_target", "jenkins", "grafana"):
        values[name] = None
    options = argparse.Namespace(**{**values, "option": [], **given})
    made = Scene(places, "mine", section, options, FakeCaller(places.runs, *told), root, environment)
    made.server = server
    return made
