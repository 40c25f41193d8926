"""One run of a search or a series: a process of its own, shown while it goes on, and one line when it is over."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from shardload import exit_codes
from shardload.bzt_modules.console import Lines, LiveView
from shardload.config.places import SERIES_VARIABLE, Places
from shardload.config.values.quantities import show_nanos
from shardload.config.values.schedule import Segment
from shardload.processes.generator import LocalLoad
from shardload.processes.hosts import HostLoad
from shardload.results.bundle import RUN_FILE, bundles_in
from shardload.results.lookup import read_json
from shardload.results.tail import LiveTail
from shardload.terminal import Terminal

Starter = Callable[[Sequence[str], str], int]

LOG = "runs.log"
_LOOK_SECONDS = 0.5


class Relay:
    """Hands signals on to the run that is under way; after the first no other begins."""

    def __init__(self) -> None:
        self.is_stopping = False
        self._process: subprocess.Popen[bytes] | None = None

    def install(self) -> None:
        """Take over the signals; one that is ignored (nohup) stays so."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)

    def _handle(self, number: int, frame: Any) -> None:
        self.is_stopping = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def start(
        self,
        arguments: Sequence[str],
        series: str,
        output: IO[Any] | None = None,
        errors: IO[Any] | None = None,
        look: Callable[[], None] | None = None,
    ) -> int:
        """Run a verb to its end and return its exit code; ``look`` is called several times a second meanwhile.

        Without files standard output and standard error of the verb go where those of this process go.
        """
        environment = {**os.environ, SERIES_VARIABLE: series}
        # A session of its own: Ctrl-C reaches it once, through us, and not a second time from the terminal.
        command = [sys.executable, "-m", "shardload", *arguments]
        self._process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=output, stderr=errors)
        if self.is_stopping:
            self._process.terminate()
        code = None
        while code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._process.wait(_LOOK_SECONDS if look else None)
            if look:
                look()
        self._process = None
        return code if code >= 0 else exit_codes.INTERRUPTED


class Watch:
    """Draws on a terminal what a run itself would draw, below lines about all of the runs."""

    def __init__(self, places: Places, terminal: Terminal, verb: str, place: str, above: Lines) -> None:
        self._places, self._terminal, self._place, self._above = places, terminal, place, above
        self._title = "starting" if verb == "run" else "loading the data again"
        self._stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
        self._tail: LiveTail | None = None
        self._view: LiveView | None = None

    def look(self) -> None:
        """Draw what is new. A run that cannot be read is not drawn: it reports itself what is wrong."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            if self._tail is None:
                self._open()
            for second in self._tail.read() if self._tail else ():
                if self._view:
                    self._view.hear(second)
                self._view = None if second.is_final else self._view
        if self._view is None:
            self._terminal.block([*self._above(), "verifying" if self._tail else self._title])

    def _open(self) -> None:
        """Find the run's bundle, which exists as soon as its data are ready."""
        bundle = find_bundle(self._places, self._place, self._stamp)
        if bundle is not None:
            run = read_json(bundle / RUN_FILE)
            segments = [Segment(**segment) for segment in run["load"]["segments"]]
            self._view = LiveView(self._terminal, segments, run["load"]["model"], self._above)
            self._tail = LiveTail(bundle, HostLoad.stream if run.get("hosts") else LocalLoad.stream)


def starter_of(
    options: argparse.Namespace, places: Places, terminal: Terminal, relay: Relay, log: Path, above: Lines
) -> Starter:
    """Return what starts a run: a terminal shows how it goes, and what it prints is added to the log."""

    def start(arguments: Sequence[str], place: str) -> int:
        if options.verbose:
            terminal.line(above()[0])
            return relay.start(arguments, place)
        watch = Watch(places, terminal, arguments[0], place, above)
        look = watch.look if terminal.is_terminal and not options.json else None
        with open(log, "ab") as file:
            # With --json the seconds of a run are for standard output.
            code = relay.start(arguments, place, None if options.json else file, file, look)
        terminal.clear()
        return code

    return start


def show_refusal(log: Path, terminal: Terminal) -> None:
    """Print why a run was refused: the end of its log, as long as the list of several problems can be."""
    with contextlib.suppress(OSError):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]:
            terminal.line(line)


def find_bundle(places: Places, place: str, since: str = "") -> Path | None:
    """Return the bundle of the run at a place of a series, None if there is none with a name from ``since`` on."""
    for bundle in reversed(bundles_in(places.runs)):
        if bundle.name < since:
            break
        with contextlib.suppress(OSError, ValueError):
            if json.loads((bundle / RUN_FILE).read_text(encoding="utf-8"))["run"].get("series") == place:
                return bundle
    return None


def told(outcome: str, summary: Mapping[str, Any], reason: str = "") -> str:
    """Return the outcome of a run, its figures and the first of its reasons, for one line."""
    headline = summary.get("headline") or {}
    offered, achieved, answered = (headline.get(f"{key}_per_second") for key in ("offered", "achieved", "answered"))
    latency, errors = headline.get("latency_ns") or {}, headline.get("errors_percent")
    least = (latency.get("at_least_ns") or {}).get("p99")
    parts = [outcome]
    if achieved is not None:
        parts.append(f"achieved {achieved:,.1f}" + (f" of {offered:,.1f}/s" if offered is not None else "/s"))
        if offered is not None and answered is not None and abs(answered - achieved) > 0.01 * offered:
            parts.append(f"answered {answered:,.1f}/s whenever due")
    if latency.get("p99") is not None or least is not None:
        parts.append(f"p99 {show_nanos(latency['p99'])}" if least is None else f"p99 >= {show_nanos(least)}")
    parts += [f"errors {errors:.2f} %"] if errors else []
    first = reason.partition("; ")[0].removeprefix(f"{outcome}: ")
    return ", ".join(parts) + (f": {first}" if first else "")
