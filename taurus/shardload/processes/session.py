"""The conversation with the Java child over one target, for the executor and for the single verbs alike."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from shardload.config.hosts import path_of
from shardload.config.keys import DATA_SIZES
from shardload.config.merge import KeyPath, Merged
from shardload.config.places import Places, java
from shardload.config.problem import Problem, Problems
from shardload.config.values.quantities import check_heap
from shardload.processes import child as child_process
from shardload.processes.child import Child, ChildError
from shardload.processes.hints import render
from shardload.terminal import Progress, Terminal

# What a terminal shows while a verb works that reports no progress itself.
_TITLES = {
    "targets": "asking the servers",
    "check": "checking the configuration",
    "start-embedded": "starting the embedded server",
    "size": "sizing the data",
    "look": "checking what the server supports",
    "connections": "asking for the server's limit of connections",
    "schema": "checking the tables",
    "load-hosts": "asking the load hosts",
    "hosts-open": "asking the load hosts",
    "hosts-start": "starting the load hosts",
    "hosts-close": "waiting for the last figures of the load hosts",
    "collect": "merging the folders",
    "parity-open": "making scratch tables",
    "workload-check": "asking the server about each statement",
    "workload-draft": "reading the catalog",
    "begin": "marking the data set as in use",
    "verify": "waiting until no statement is active on the server",
    "hosts": "collecting the figures of the machines",
    "finish": "writing the report",
    "publish": "reading the bundle",
    "export": "writing the export",
    "history": "reading the runs",
    "metrics-close": "waiting for the last scrape of the metrics",
}
_READY = ("complete", "nothing-to-load")


class Session:
    """One child, its configuration, and its messages."""

    def __init__(
        self,
        config: dict[str, Any],
        merged: Merged,
        places: Places,
        terminal: Terminal,
        errors: Path | None,
        heap: str = "512m",
        with_jmeter: bool = False,
    ) -> None:
        self.config = copy.deepcopy(config)
        self.unit = unit_of(config.get("workload") or {})
        self._merged = merged
        self._places = places
        self._terminal = terminal
        self._progress = Progress(terminal)
        self._errors = errors
        self._with_jmeter = with_jmeter
        # An embedded server may keep its documents in the child's own heap.
        self._heap = check_heap((merged.config.get("target") or {}).get("embedded-heap") or heap)
        self._child: Child | None = None
        # False where the documents are gone with the server that the child started.
        self.keeps_data = True

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- messages of the child

    def progress(self, what: str, done: int, total: int, unit: str) -> None:
        """Show progress."""
        self._progress.update(what, done, total, unit)

    def note(self, text: str) -> None:
        """Show a line; with --quiet only a warning."""
        self._progress.finish()
        (self._terminal.line if text.startswith("warning: ") else self._terminal.detail)(text)

    # --- the conversation

    def call(self, verb: str, interrupted: Callable[[], bool] = lambda: False, **request: Any) -> dict[str, Any]:
        """Ask the child; an error about a key names the file that holds it."""
        child = self._started()
        if verb in _TITLES:
            self._terminal.block([_TITLES[verb]])
        try:
            return child.call(verb, {"config": self.config, **request}, interrupted)
        except ChildError as error:
            text = self._placed(error.key, str(error))
            if len(error.problems) > 1:
                text = str(Problems(self._placed(key, text) for key, text in error.problems))
            placed = ChildError(text, error.key, error.exit_code, error.advice)
            placed.problems = error.problems
            placed.hints = render(error.advice, self._merged, self._places)
            raise placed from None
        finally:
            self._progress.finish()
            if verb in _TITLES:
                self._terminal.clear()

    def _placed(self, key: str | None, text: str) -> str:
        return f"{self._merged.place(self._path_of(key))}: {text}" if key else text

    def _started(self) -> Child:
        if self._child is None:
            command = child_process.command(java(), self._places.home, self._heap, self._with_jmeter)
            self._child = Child(command, self._errors, self._places.root, self)
        return self._child

    def _path_of(self, key: str) -> KeyPath:
        """Return the path in the merged configuration of a key of the effective one."""
        first, *rest = key.split(".")
        if first == "mix":
            scenarios = self._merged.config.get("scenarios") or {}
            chosen = self.config["scenario"]
            holding = [name for name in scenarios if rest and rest[0] in scenarios[name]["mix"]]
            return ("scenarios", chosen if chosen in holding or not holding else holding[0], "mix", *rest)
        if first == "hosts":
            return path_of(".".join(rest), self._merged.config)
        if first == "load":
            return ("execution", 0, "concurrency") if rest == ["workers"] else ("execution", 0)
        return (first, *(int(part) if part.isdigit() else part for part in rest))

    def check(self, transactions: Iterable[str], interrupted: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """Check what only Java can check: options, data, and the transactions of all scenarios."""
        # The run's mix keeps its order, by which the plan numbers transactions.
        others = sorted(set(transactions) - set(self.config["mix"]))
        mix = {**self.config["mix"], **dict.fromkeys(others, 0)}
        return self.call("check", interrupted, config={**self.config, "mix": mix})

    def start_embedded(self, interrupted: Callable[[], bool] = lambda: False) -> None:
        """Start the server that the target embeds, if it does; its address enters the configuration."""
        target = self.config["target"]
        if not target.get("embedded"):
            return
        data = self._places.data(target["name"])
        started = self.call("start-embedded", interrupted, data_directory=str(data))
        for key in ("url", "user"):
            if started.get(key):
                target[key] = started[key]
        if started.get("fake"):
            self.keeps_data = False
            self.note(self._terminal.paint(f"note     {started['fake']}", "bold"))
        if started.get("password_file"):
            # The server made it up; JMeter gets it as it gets every secret, from its environment.
            target["password-env"] = started["password_env"]
            line = Path(started["password_file"]).read_text(encoding="utf-8").strip()
            os.environ[started["password_env"]] = line.rsplit(":", 1)[1]

    def settle_size(self, interrupted: Callable[[], bool] = lambda: False) -> None:
        """Have the size of the data made a number of documents; it enters the configuration, for everything else."""
        self.config["workload"] = self.call("size", interrupted)["workload"]

    def suggest(self, purpose: str, verb: str) -> list[str]:
        """Return the lines of a command on the same target that may help."""
        return render([{"purpose": purpose, "verb": verb}], self._merged, self._places)

    def beside(self, config: dict[str, Any], merged: Merged) -> Session:
        """Return a session on another target with the same child, which this one closes."""
        other = Session(config, merged, self._places, self._terminal, self._errors)
        other._child = self._child
        return other

    @property
    def is_alive(self) -> bool:
        """Whether the child runs."""
        return self._child is not None and self._child.is_alive

    def revive(self) -> None:
        """Start a new child after the old one died, with the embedded server again."""
        self.close()
        self._started()
        self.start_embedded()

    def close(self) -> None:
        """Let the child end, and with it what it started."""
        self._progress.finish()
        if self._child is not None:
            self._child.close()
            self._child = None


def unit_of(workload: Mapping[str, Any]) -> str:
    """Return what is counted: documents where the workload says how many or how large, otherwise rows of its tables."""
    data = workload.get("data") or {}
    return "documents" if any(data.get(key) is not None for key in DATA_SIZES) else "rows"


def data_line(workload: Mapping[str, Any], loaded: Mapping[str, Any], unit: str) -> str:
    """Return what was loaded, and what earlier runs left of it where that is known."""
    if (workload.get("data") or {}).get("existing"):
        return "existing, nothing was loaded"
    count = int(loaded.get("documents") or 0)
    if not count and (workload.get("data") or {}).get("tables"):
        return "none: the target keeps no data"
    asked = (workload.get("size") or {}).get("asked", "")
    reason = "" if asked.startswith("documents") else f" ({asked})"
    live = int(loaded.get("live", count))
    now = "" if live == count else f", {live:,} now"
    return f"{count:,} {unit} loaded{reason}{now}"


def full_text(error: BaseException) -> str:
    """Return the lines that say what went wrong, with those of commands that may help."""
    if not isinstance(error, ChildError):
        return describe(error)
    lines = str(error).splitlines() if len(error.problems) > 1 else [describe(error)]
    return "\n".join([*lines, *error.hints])


def describe(error: BaseException) -> str:
    """Return the one line that says what went wrong."""
    text = " ".join(str(error).split())
    return text if text or isinstance(error, Problem) else type(error).__name__


def refuse_incomplete(session: Session, interrupted: Callable[[], bool]) -> None:
    """Refuse a data set that lacks documents, with the command that loads them; nothing is made or changed.

    What else is wrong with it, the run itself refuses.
    """
    if not session.keeps_data:
        raise ChildError("--no-load: this server is empty at each start, so a run must load", None, 1)
    found = session.call("data-state", interrupted)
    state, loaded, documents = found["state"], int(found["loaded"]), int(found["documents"])
    if state in _READY:
        return
    if state == "refused":
        raise ChildError(f"--no-load: {found['detail']}", None, 1)
    what = session.unit
    there = "the data set does not exist" if state == "none" else f"only {loaded:,} of {documents:,} {what} are there"
    error = ChildError(f"--no-load: {there}", None, 1)
    error.hints = session.suggest(f"to load {documents - loaded:,} {what}", "load")
    raise error
