"""Calling verbs of shardload as a user would: child processes with a time limit, ended in order on Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from shardload.verbs.acceptance.model import Answer, Failed, Interrupted, Watch

_LOOK_EVERY_SECONDS = 0.1
# A run that is interrupted drains, verifies and writes its bundle.
_PATIENCE_SECONDS = 60.0


class Commands:
    """The launcher's Python side, one process for each call; what it prints goes to a log file of its own."""

    def __init__(
        self,
        root: Path,
        logs: Path,
        is_interrupted: Callable[[], bool],
        command: Sequence[str] = (sys.executable, "-m", "shardload"),
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._root = root
        self._logs = logs
        self._is_interrupted = is_interrupted
        self._command = list(command)
        self._patience_seconds = patience_seconds
        self._deadline = float("inf")
        self._count = 0
        self._name = "call"

    def begin(self, name: str, limit_seconds: float) -> None:
        """Begin a check: its calls together may take so long."""
        self._name, self._count = name, 0
        self._deadline = time.monotonic() + limit_seconds

    def call(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        watch: Watch | None = None,
        may_fail: bool = True,
    ) -> Answer:
        """Run a command; raise Interrupted on Ctrl-C, Failed where the time is over or an error is not expected."""
        self._count += 1
        log = self._logs / f"{self._name}-{self._count}.log"
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [*self._command, *words],
                cwd=self._root,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._wait(process, words[0], log, watch)
            finally:
                self._end(process)
        answer = Answer(process.returncode, _text(log))
        if answer.code and not may_fail:
            raise Failed(f"{words[0]} ended with code {answer.code}: {answer.line}", answer.code)
        return answer

    def _wait(self, process: subprocess.Popen[bytes], verb: str, log: Path, watch: Watch | None) -> None:
        while process.poll() is None:
            if self._is_interrupted():
                raise Interrupted
            if time.monotonic() >= self._deadline:
                raise Failed(f"{verb} did not end within the time limit of the check")
            wanted = watch(_text(log)) if watch else None
            if wanted:
                _send(process, signal.Signals[wanted])
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY_SECONDS)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End what still runs: in order first, with its bundle; then at once.

        By SIGTERM: whatever a background job of a script starts ignores SIGINT.
        """
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._patience_seconds)
            if process.poll() is None:
                _send(process, signal.SIGKILL)
                process.wait()


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal; SIGKILL takes the whole group, as the end of a machine would."""
    with contextlib.suppress(ProcessLookupError):
        if number is signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
