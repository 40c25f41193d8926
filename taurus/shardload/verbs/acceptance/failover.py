"""The check of a failover, which a command of the user's causes in the middle of a load."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.verbs.acceptance import loads
from shardload.verbs.acceptance.calls import Answer, Failed
from shardload.verbs.acceptance.model import NotApplicable, Scene

_RUN_SECONDS = 90
_BEFORE_SECONDS = 15
_WRITES = ("insert", "update", "delete")
# What a server that replicates asynchronously may lose; anything else is wrong whatever happened.
_LOSSES = {"lost", "resurrected", "stale"}


class Command:
    """The user's command, started once when the load has gone on for some seconds."""

    process: subprocess.Popen[bytes] | None = None
    ended_epoch_ms: float | None = None

    def __init__(self, text: str, log: Path) -> None:
        self._text, self._log = text, log

    def watch(self, bundle: Path) -> None:
        """Start the command when it is time, and note when it ended."""
        if self.process is None and len(loads.seconds_of(bundle)) >= _BEFORE_SECONDS:
            with open(self._log, "wb") as file:
                self.process = subprocess.Popen(
                    self._text, shell=True, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
                )
        elif self.process and self.ended_epoch_ms is None and self.process.poll() is not None:
            self.ended_epoch_ms = time.time() * 1000


def check_failover(scene: Scene) -> str:
    """Run the command in mid-load; writes go on afterwards, and verification says exactly what was lost."""
    if not scene.options.failover_command:
        raise NotApplicable("no --failover-command was given")
    command = Command(scene.options.failover_command, scene.folder / "failover-command.log")
    scene.is_unsettled = True
    try:
        answer, bundle = loads.run(scene, _RUN_SECONDS, watch=command.watch)
    finally:
        if command.process:
            command.process.kill()  # nothing, if it has ended
            command.process.wait()
    return judge(scene, command, answer, bundle)


def judge(scene: Scene, command: Command, answer: Answer, bundle: Path | None) -> str:
    """Say whether writes went on and what verification found."""
    code, ended = answer.code, f"code {answer.code}: {answer.line}"
    if command.process is None or bundle is None:
        raise Failed(f"the run ended before the command was started, {ended}", code)
    if command.process.returncode or command.ended_epoch_ms is None:
        status = "did not end within the run" if command.ended_epoch_ms is None else "failed"
        raise Failed(f"the failover command {status} (code {command.process.returncode})", code)
    verification = loads.read(bundle, "verification.json")
    is_clean = verification.get("verdict") == "clean"
    scene.is_unsettled &= not is_clean
    done = _writes_after(bundle, command.ended_epoch_ms)
    if not done:
        raise Failed(f"no write was done after the failover, {ended}", code)
    counts = {kind: count for kind, count in (verification.get("counts") or {}).items() if count}
    named = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    percent = float((loads.read(bundle, "summary.json").get("headline") or {}).get("errors_percent") or 0)
    text = f"{done:,} writes after the failover, {percent:.2f} % of the calls failed"
    if is_clean and code != exit_codes.WRONG_DATA:
        return f"{text}, verification clean"
    if counts and set(counts) <= _LOSSES and verification.get("findings"):
        return f"{text}; verification names what was lost: {named}"
    raise Failed(f"{text}; verification: {verification.get('verdict') or 'not run'} {named}, {ended}", code)


def _writes_after(bundle: Path, epoch_ms: float) -> int:
    """Return how many writes were done in the seconds that began after a moment."""
    lines = [line for line in loads.seconds_of(bundle) if not line.get("final")]
    later = [line for line in lines if float(line.get("epoch_ms") or 0) > epoch_ms]
    mixes: list[dict[str, Any]] = [mix for line in later for mix in (line.get("segments") or {}).values()]
    return sum(int(counts.get("done") or 0) for mix in mixes for name, counts in mix.items() if name in _WRITES)
