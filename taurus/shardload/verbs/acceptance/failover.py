"""The check of a failover, which a command of the user's causes in the middle of a load."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.verbs.acceptance import loads
from shardload.verbs.acceptance.model import Failed, NotApplicable, Scene

_RUN_SECONDS = 90
_BEFORE_SECONDS = 15
_WRITES = ("insert", "update", "delete")
# What a server that replicates asynchronously may lose; anything else is wrong whatever happened.
_LOSSES = {"lost", "resurrected", "stale"}


class Command:
    """The user's command, started once when the load has gone on for some seconds."""

    def __init__(self, text: str, log: Path) -> None:
        self._text = text
        self._log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.ended_epoch_ms: float | None = None

    def watch(self, bundle: Path) -> str | None:
        """Start the command when it is time, and note when it ended."""
        if self.process is None:
            if len(loads.seconds_of(bundle)) >= _BEFORE_SECONDS:
                with open(self._log, "wb") as file:
                    self.process = subprocess.Popen(
                        self._text, shell=True, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
                    )
        elif self.ended_epoch_ms is None and self.process.poll() is not None:
            self.ended_epoch_ms = time.time() * 1000
        return None

    def end(self) -> None:
        """End it if it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def writes_after(seconds: Sequence[dict[str, Any]], epoch_ms: float) -> int:
    """Return how many writes were done in the seconds that began after a moment."""
    counted = [each for each in seconds if not each.get("final") and float(each.get("epoch_ms") or 0) > epoch_ms]
    return sum(
        int(counts.get("done") or 0)
        for each in counted
        for transactions in (each.get("segments") or {}).values()
        for name, counts in transactions.items()
        if name in _WRITES
    )


def check_failover(scene: Scene) -> str:
    """Run the command in mid-load; writes go on afterwards, and verification says exactly what was lost."""
    text = scene.options.failover_command
    if not text:
        raise NotApplicable("no --failover-command was given")
    command = Command(text, scene.folder / "failover-command.log")
    scene.is_unsettled = True
    try:
        answer, bundle = loads.run(scene, _RUN_SECONDS, watch=command.watch)
    finally:
        command.end()
    return judge(scene, command, answer.code, answer.line, bundle)


def judge(scene: Scene, command: Command, code: int, line: str, bundle: Path | None) -> str:
    """Say whether writes went on and what verification found."""
    if command.process is None or bundle is None:
        raise Failed(f"the run ended before the command was started, code {code}: {line}", code)
    if command.process.returncode or command.ended_epoch_ms is None:
        status = "did not end within the run" if command.ended_epoch_ms is None else "failed"
        raise Failed(f"the failover command {status} (code {command.process.returncode})", code)
    done = writes_after(loads.seconds_of(bundle), command.ended_epoch_ms)
    verdict = loads.verdict_of(bundle)
    if verdict.get("verdict") == "clean":
        scene.is_unsettled = False
    if not done:
        raise Failed(f"no write was done after the failover, code {code}: {line}", code)
    counts = {kind: count for kind, count in (verdict.get("counts") or {}).items() if count}
    named = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    errors = loads.read(bundle, "summary.json").get("headline") or {}
    text = f"{done:,} writes after the failover, {float(errors.get('errors_percent') or 0):.2f} % of the calls failed"
    if verdict.get("verdict") == "clean" and code != exit_codes.WRONG_DATA:
        return f"{text}, verification clean"
    if counts and set(counts) <= _LOSSES and len(verdict.get("findings") or []) > 0:
        return f"{text}; verification names what was lost: {named}"
    raise Failed(f"{text}; verification: {verdict.get('verdict') or 'not run'} {named}, code {code}: {line}", code)
