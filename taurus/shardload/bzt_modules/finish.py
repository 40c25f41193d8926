"""Finishing a bundle: verification, outcome, and the exit code that the Java side judges."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.bzt_modules.metrics import RunMetrics
from shardload.config.store import LOCAL
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.load import Ends
from shardload.processes.session import Session, describe
from shardload.results.bundle import OUTCOME_FILE, write_json
from shardload.terminal import Terminal

# Why a verification did not run that may run later, as the child says it.
_LATER = ("the target failed", "generators of the run are still connected")


def shortest(lines: Sequence[str]) -> list[str]:
    """Return of the closing lines the verdict, the rate or else the capacity of steps, and p99."""
    rate = "capacity " if any(line.startswith("capacity ") for line in lines) else "rate "
    return [line for line in lines if line.startswith(("verdict ", rate, "p99 "))]


class Finish:
    """Collects the content of outcome.json during the run, and completes the bundle after it."""

    def __init__(self, session: Session, bundle: Path, terminal: Terminal, interrupted: Callable[[], bool]) -> None:
        self.bundle = bundle
        self.stopped_by: str | None = None
        self.ends = Ends()
        self._session = session
        self._terminal = terminal
        self._has_signal = interrupted
        self._notes: list[str] = []
        self._death: str | None = None
        self.metrics = RunMetrics(session, bundle, self.note)

    def note(self, text: str) -> None:
        """Keep a line for the report and show it."""
        self._notes.append(text)
        self._terminal.line(text)

    def part_died(self, text: str) -> None:
        """Note that a part failed; only the first failure is reported, because it may cause others."""
        if not self._death:
            self._death = text
            self.note(f"shardload: {text}")

    @property
    def has_died(self) -> bool:
        """Whether a part failed."""
        return self._death is not None

    @property
    def _interrupted(self) -> bool:
        return self.stopped_by == "signal"

    def complete(self, live_results: list[dict[str, Any]]) -> int:
        """Complete the bundle and return the exit code."""
        self.metrics.end()
        try:
            return self._complete(live_results)
        except OSError as error:
            self._terminal.line(f"shardload: cannot finish the bundle: {error.strerror}: {error.filename}")
            return exit_codes.PART_DIED
        finally:
            self.metrics.close(self._has_signal)

    def _complete(self, live_results: list[dict[str, Any]]) -> int:
        verified = self._verify() or {}
        self._gather_hosts()
        self._write_outcome(live_results)
        finished = self._ask("finish", again=lambda: self._write_outcome(live_results), directory=str(self.bundle))
        if finished is None:
            return exit_codes.INTERRUPTED if self._interrupted else exit_codes.PART_DIED
        code = int(finished.get("exit", 0))
        lines = [str(line) for line in finished.get("lines") or []]
        # What the user opens next comes last.
        report = [line for line in lines if line.startswith("report ")]
        lines = shortest(lines) if Terminal.is_quiet else [line for line in lines if line not in report]
        lines += self.ends.hints
        if str(verified.get("reason") or "").startswith(_LATER):
            lines += self._session.suggest("settle it with", "verify")
        for line in [*lines, *report]:
            self._terminal.line(self._colour(line, code))
        return exit_codes.worst([code, exit_codes.PART_DIED]) if self.has_died else code

    def _verify(self) -> dict[str, Any] | None:
        """Read the whole table; after a signal use only the journals."""
        if not self._interrupted:
            try:
                return self._ask("verify", self._has_signal, walk=True)
            except Interrupted:
                self.stopped_by = "signal"
                self.note("verification was stopped by a signal")
                self._session.revive()
        return self._ask("verify", walk=False)

    def _gather_hosts(self) -> None:
        """Put what the machines did into the bundle. Nothing that goes wrong here fails the run."""
        config = self._session.config
        if not self._session.is_alive or ("store" not in config and config.get("host_metrics") != LOCAL):
            return
        try:
            hurried = self._interrupted or self._has_signal()
            store = {"store": config["store"]} if "store" in config else {}
            self._session.call("hosts", directory=str(self.bundle), hurried=hurried, **store)
        except (ChildError, ChildDied) as error:
            self.note(f"shardload: the figures of the machines are missing: {describe(error)}")
        if not self._session.is_alive:
            with contextlib.suppress(ChildError, ChildDied):
                self._session.revive()

    def _colour(self, line: str, code: int) -> str:
        return self._terminal.paint(line, "green" if code == 0 else "red") if line.startswith("verdict") else line

    def _write_outcome(self, live_criteria: list[dict[str, Any]]) -> None:
        """Write what only the controller knows; the Java side judges everything else from the bundle."""
        outcome = {
            "interrupted": self._interrupted,
            "stopped_by": self.stopped_by,
            "lost_generators": list(self.ends.lost),
            "losses": [dict(loss) for loss in self.ends.losses],
            "generators": [{"generator": number, "exit_code": code} for number, code in self.ends.exit_codes.items()],
            "criteria": live_criteria,
            "notes": self._notes,
        }
        if self._death:
            outcome["died"] = self._death
        write_json(self.bundle / OUTCOME_FILE, outcome)

    def _ask(
        self,
        verb: str,
        interrupted: Callable[[], bool] = lambda: False,
        again: Callable[[], None] = lambda: None,
        **request: Any,
    ) -> dict[str, Any] | None:
        """Ask the child; when it has died, call ``again`` and ask a new one. What fails is noted, the rest goes on."""
        for attempt in (1, 2):
            try:
                if attempt == 2 and not self._session.is_alive:
                    self._session.revive()
                return self._session.call(verb, interrupted, **request)
            except ChildError as error:
                self.note(f"{verb} failed: {describe(error)}")
                self._death = self._death or f"{verb} failed: {describe(error)}"
                return None
            except ChildDied as error:
                self._death = self._death or describe(error)
                self.note(describe(error) + ("; starting it again" if attempt == 1 else ""))
                again()
        return None
