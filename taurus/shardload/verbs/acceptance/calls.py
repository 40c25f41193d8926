"""Calling verbs of shardload as a user would: child processes with a time limit, ended in order on Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_LOOK_EVERY_SECONDS = 0.1
# Asked while a command runs, with what it has printed so far; the name of a signal that it returns is sent.
Watch = Callable[[str], "str | None"]


class Failed(Exception):
    """The condition of a check does not hold; ``code`` is the exit code of the command that showed this."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


class Answer(NamedTuple):
    """How a command of shardload ended, and what it printed."""

    code: int
    output: str

    @property
    def line(self) -> str:
        """The line that says why it ended so: the last one that shardload marks as its own, or else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        marked = [line for line in lines if line.startswith(("shardload: ", "verdict"))]
        return (marked or lines or ["(it printed nothing)"])[-1]

    def first(self, part: str) -> str:
        """Return the first line that has a text, or else ``line``."""
        return next((line for line in self.output.splitlines() if part in line), self.line)

    def failure(self, verb: str, why: str = "") -> Failed:
        """Return the failure of a check whose command should have ended otherwise."""
        return Failed(f"{verb} ended with code {self.code}: {why or self.line}", self.code)


@dataclass
class Commands:
    """The launcher's Python side, one process for each call; what it prints goes to a log file of its own."""

    root: Path
    logs: Path
    is_interrupted: Callable[[], bool]
    command: Sequence[str] = (sys.executable, "-m", "shardload")
    # A run that is interrupted drains, verifies and writes its bundle.
    patience_seconds: float = 60.0

    def begin(self, name: str, limit_seconds: float) -> None:
        """Begin a check: its calls together may take so long."""
        self._name, self._count, self._deadline = name, 0, time.monotonic() + limit_seconds

    def call(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, watch: Watch | None = None
    ) -> Answer:
        """Run a command to its end; raise Interrupted on Ctrl-C, Failed where the time is over."""
        self._count += 1
        log = self.logs / f"{self._name}-{self._count}.log"
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [*self.command, *words], cwd=self.root, env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            while process.poll() is None:
                if self.is_interrupted():
                    raise Interrupted
                if time.monotonic() >= self._deadline:
                    raise Failed(f"{words[0]} did not end within the time limit of the check")
                _send(process, watch(_text(log)) if watch else None)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_EVERY_SECONDS)
        finally:
            # In order first, with its bundle. What a script starts in the background ignores SIGINT.
            _send(process, "SIGTERM")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self.patience_seconds)
            _send(process, "SIGKILL")
            process.wait()
        return Answer(process.returncode, _text(log))


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _send(process: subprocess.Popen[bytes], name: str | None) -> None:
    """Send a signal to what still runs; SIGKILL takes the whole group, as the end of a machine would."""
    if name and process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            send = os.killpg if name == "SIGKILL" else os.kill
            send(process.pid, signal.Signals[name])
