"""Engines on load hosts: the Java child drives them, and this module sends it the requests."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.load import Ends, HostState, Seen
from shardload.processes.session import Session, describe

_STATUS_EVERY_SECONDS = 1.0
_ANSWER_SECONDS = 10.0
_INTERRUPTED_SECONDS = 15.0
# Without a controller the generators stop by themselves within this time.
_ALONE_SECONDS = 10.0
# What the child may need beyond the generators' own time.
_CLOSE_SECONDS = 60.0
_SHOWN = 8


class HostLoad:
    """The load of a run on load hosts."""

    stream = "merged"
    name = "the stream of the load hosts"

    def __init__(self, session: Session, program: str, now: Callable[[], float] = time.monotonic) -> None:
        self.hosts: Sequence[HostState] = ()
        self._program = program
        self._session = session
        self._names: list[str] = list(session.config["hosts"]["list"])
        self._now = now
        self._asked_at = -_STATUS_EVERY_SECONDS
        self._is_started = False
        self._is_over = False
        self._alone_since: float | None = None
        self._finals: set[int] = set()
        self._losses: list[dict[str, Any]] = []

    def open(self, interrupted: Callable[[], bool]) -> list[str]:
        """Have the child ask every engine, rehearse, and open the meeting point."""
        try:
            opened = self._session.call("hosts-open", interrupted)
        except ChildError as error:
            raise in_lines(error) from None
        return [*_introduction(opened.get("generators") or []), *map(str, opened.get("notes") or [])]

    def prepare(self, config: Mapping[str, Any]) -> None:
        """Do nothing: the child sends each engine its properties."""

    def start(self, interrupted: Callable[[], bool]) -> None:
        """Start the run on all engines; the child answers when all have agreed on the start."""
        self._is_started = True
        give_up_at: list[float] = []

        def is_too_late() -> bool:
            # What has been started can be stopped in order once all have agreed, which takes seconds as a rule.
            if interrupted() and not give_up_at:
                give_up_at.append(self._now() + _INTERRUPTED_SECONDS)
            return bool(give_up_at) and self._now() > give_up_at[0]

        try:
            self._session.call("hosts-start", is_too_late)
        except ChildError as error:
            raise in_lines(error) from None
        except (ChildDied, Interrupted):
            self._leave()
            raise

    def check(self, interrupted: Callable[[], bool]) -> Seen:
        """Ask how the engines are doing, once a second."""
        if self._is_over or self._now() - self._asked_at < _STATUS_EVERY_SECONDS:
            return Seen(self._is_over)
        status = self._ask("hosts-status", _ANSWER_SECONDS, interrupted)
        self._asked_at = self._now()
        if isinstance(status, str):
            return Seen(True, trouble=status)
        if status is None:
            return Seen(False)
        self.hosts = [HostState.read(told) for told in status.get("generators") or []]
        trouble = str(status["trouble"]) if status.get("trouble") else None
        # With trouble, what still runs must be stopped.
        self._is_over = bool(status.get("over")) and trouble is None
        return Seen(self._is_over or trouble is not None, _notes(status, trouble), trouble)

    def stop(self, reason: str | None, patience_seconds: float) -> Seen:
        """Order the stop unless all have ended, and let the child close what it opened."""
        if not self._is_started:
            return Seen(True)
        self._is_started = False
        troubles: list[Any] = []
        notes: list[str] = []
        if self._alone_since is None and not self._is_over:
            troubles.append(self._ask("hosts-stop", _ANSWER_SECONDS, reason=reason or "stop"))
        if self._alone_since is None:
            closed = self._ask("hosts-close", patience_seconds + _CLOSE_SECONDS, patience_seconds=patience_seconds)
            troubles.append(closed)
            if isinstance(closed, dict):
                self._finals = {int(number) for number in closed.get("finals") or []}
                self._losses = [dict(loss) for loss in closed.get("lost") or []]
                troubles.append(closed.get("trouble"))
                notes = _notes(closed, closed.get("trouble"))
        self._wait_alone()
        return Seen(True, notes, next((told for told in troubles if isinstance(told, str)), None))

    def ends(self, has_final: bool) -> Ends:
        """Count each generator without a final line as lost, whether or not the child knows why."""
        told = {int(loss["generator"]): loss for loss in self._losses}
        lost = [number for number in range(len(self._names)) if number not in self._finals or number in told]
        losses = [told.get(number) or {"generator": number, "host": self._names[number]} for number in lost]
        return Ends(lost, losses, hints=self._hints() if lost else ())

    def _hints(self) -> list[str]:
        run = self._session.config["run"]["id"]
        return [
            f"the last data of a lost host is in its folder {run}; copy the folder to this machine, then run:",
            f"  {shlex.join([self._program, 'collect', run])} DIR...",
        ]

    # --- a child that answers no more

    def _ask(
        self, verb: str, limit_seconds: float, interrupted: Callable[[], bool] = lambda: False, **request: Any
    ) -> dict[str, Any] | str | None:
        """Return the child's answer, None when a signal came first, or what is wrong with the child."""
        deadline = self._now() + limit_seconds
        try:
            return self._session.call(verb, lambda: interrupted() or self._now() > deadline, **request)
        except ChildError as error:
            return "; ".join(_lines(error))
        except ChildDied as error:
            self._leave()
            return describe(error)
        except Interrupted:
            if self._now() <= deadline:
                return None
            self._leave()
            return f"the Java child did not answer within {limit_seconds:.0f} s during {verb}"

    def _leave(self) -> None:
        """Close the child; from now on the generators are alone."""
        self._session.close()
        self._alone_since = self._now()

    def _wait_alone(self) -> None:
        """Wait until generators without a controller have stopped by themselves; what they wrote is verified next."""
        while self._alone_since is not None and self._now() < self._alone_since + _ALONE_SECONDS:
            time.sleep(0.1)


def in_lines(error: ChildError) -> ChildError:
    """Return an error whose further lines, one for each load host, follow the first."""
    first, *rest = _lines(error)
    told = ChildError(first, error.key, error.exit_code, error.advice)
    told.hints = [*rest, *error.hints]
    return told


def _lines(error: ChildError) -> list[str]:
    return [" ".join(line.split()) for line in str(error).splitlines() if line.strip()] or [describe(error)]


def _notes(answer: Mapping[str, Any], trouble: str | None) -> list[str]:
    """Return the lines to show; the trouble itself is reported as such."""
    return [str(note) for note in answer.get("notes") or [] if note != trouble]


def _introduction(generators: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each load host, or one for all where they are many."""
    generators = [facts for facts in generators if facts]
    if len(generators) > _SHOWN:
        cpus = sum(int(facts.get("cpus") or 0) for facts in generators)
        return [f"hosts    {len(generators)} load hosts with {cpus} CPUs"]
    width = max((len(str(facts.get("host"))) for facts in generators), default=0)
    return [_introduce(facts, width) for facts in generators]


def _introduce(facts: Mapping[str, Any], width: int) -> str:
    # The name of the JVM may precede its version.
    java = re.search(r"\b\d+(\.\d+)*", re.sub(r"\d+-Bit", "", str(facts.get("java") or "")))
    told = [f"{facts['cpus']} CPUs"] if facts.get("cpus") else []
    told += [f"Java {java[0]}"] if java else []
    if facts.get("clock_offset_ms") is not None:
        within = facts.get("clock_uncertainty_ms")
        accuracy = "" if within is None else f" (within {float(within):.1f} ms)"
        offset = round(float(facts["clock_offset_ms"]), 1) + 0.0  # never -0.0
        told.append(f"clock {offset:+.1f} ms{accuracy}")
    return f"host {facts.get('generator')}   {facts.get('host')!s:<{width}}  {', '.join(told)}".rstrip()
