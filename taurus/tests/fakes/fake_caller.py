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
from shardload.verbs.acceptance.model import Answer, Failed, Scene, Watch

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


class FakeCaller:
    """Answers as told. A command that fits nothing that was told is an error of the test."""

    def __init__(self, runs: Path, *told: Told) -> None:
        self.runs = runs
        self.told = list(told)
        self.calls: list[list[str]] = []

    def call(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        watch: Watch | None = None,
        may_fail: bool = True,
    ) -> Answer:
        self.calls.append(list(words))
        for told in self.told:
            fits = words[0] == told.words[0] and all(word in words for word in told.words)
            if fits and dict(told.environment) == dict(environment or {}):
                return self._answer(told, words, watch, may_fail)
        raise AssertionError(f"nobody told of: {' '.join(words)} {dict(environment or {})}")

    def _answer(self, told: Told, words: Sequence[str], watch: Watch | None, may_fail: bool) -> Answer:
        code = told.code
        if told.bundle is not None:
            bundle = self.runs / f"20260101-00000{len(self.calls)}-t-smoke"
            self._leave(bundle, told)
            results = ResultsFolder(Path(words[words.index("--results") + 1]))
            results.empty()
            results.note_run(bundle.name)
        if watch and watch(told.output) == "SIGKILL":
            code = -9
        if code and not may_fail:
            raise Failed(f"{words[0]} ended with code {code}: {told.output}", code)
        return Answer(code, told.output)

    @staticmethod
    def _leave(bundle: Path, told: Told) -> None:
        (bundle / "latencies").mkdir(parents=True)
        for name, content in (told.bundle or {}).items():
            (bundle / name).write_text(json.dumps(content))
        lines = "".join(json.dumps(line) + "\n" for line in told.seconds)
        (bundle / "latencies" / "generator-0.jsonl").write_text(lines)


def options(**given: Any) -> argparse.Namespace:
    """Return the options of the verb, with their defaults."""
    values: dict[str, Any] = {"target": "mine", "only": None, "list": False, "page": None, "failover_command": None}
    values |= {"foreign_target": None, "jenkins": None, "grafana": None, "recreate": False, "option": []}
    values |= {"discard_unsettled": [], "replace_foreign": False}
    return argparse.Namespace(**{**values, **given})


def scene(root: Path, *told: Told, server: str = "PostgreSQL 18.6", **given: Any) -> Scene:
    """Return the scene of a target with one host and a password."""
    places = Places(root)
    section = {"url": "postgresql+db://db1.example:5432/orders", "user": "tester", "password-env": "MINE_PASSWORD"}
    section.update(given.pop("section", {}))
    places.runs.mkdir(parents=True, exist_ok=True)
    caller = FakeCaller(places.runs, *told)
    made = Scene(places, "mine", section, options(**given), caller, root, given.pop("environment", {}))
    made.server = server
    return made
