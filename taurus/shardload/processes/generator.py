"""The load generator on this machine: a JMeter process that stops when its stdin orders it or ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shardload.config import effective
from shardload.config.places import Places
from shardload.processes.load import Ends, HostState, Seen

_TERM_SECONDS = 5.0


def command(places: Places, properties: Path, log: Path) -> list[str]:
    """Return the command line of JMeter."""
    return [
        str(places.jmeter),
        "-n",
        "-t",
        str(places.plan),
        "-q",
        str(properties),
        "-j",
        str(log),
    ]


def environment(heap: str) -> dict[str, str]:
    """Return the environment of JMeter's start script, which knows where Java is; secrets come with it."""
    return {**os.environ, "HEAP": f"-Xms{heap} -Xmx{heap}", "JVM_ARGS": "-Djava.awt.headless=true"}


class Generator:
    """The process; what it measures goes into the bundle."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str], output: Path, cwd: Path) -> None:
        with open(output, "ab") as file:
            # A session of its own, so that Ctrl-C reaches us alone and JMeter stops in order; that it cannot outlive
            # us is the work of its stdin: this end closes with our process, however that ends.
            self._process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        self._asked = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Its exit code, None while it runs; below 0 the signal that ended it."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """Ask it to stop in order: no new transactions, those in flight get their time."""
        if self._asked:
            return
        self._asked = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(b"stop\n")
            self._process.stdin.flush()

    def stop(self, patience_seconds: float) -> str | None:
        """Stop it and wait; return how it was stopped when it did not end by itself."""
        if self.code is not None:
            return None
        self.ask_to_stop()
        if self._wait(patience_seconds):
            return None
        self._signal(signal.SIGTERM)
        if self._wait(_TERM_SECONDS):
            return f"the generator did not stop within {patience_seconds:.0f} s and was terminated"
        self._signal(signal.SIGKILL)
        self._process.wait()
        return "the generator did not stop and was killed"

    def _wait(self, limit: float) -> bool:
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if self.code is not None:
                return True
            time.sleep(0.05)
        return self.code is not None

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.pid, number)

    def close(self) -> None:
        """Close our end of its stdin."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()


class LocalLoad:
    """The load of a run whose only generator is on this machine."""

    stream = "generator-0"
    name = "generator 0"

    def __init__(self, places: Places, heap: str, properties: Path, log: Path, output: Path) -> None:
        self.hosts: Sequence[HostState] = ()
        self._places = places
        self._heap = heap
        self._properties = properties
        self._log = log
        self._output = output
        self._generator: Generator | None = None

    def open(self, interrupted: Callable[[], bool]) -> list[str]:
        """Do nothing: there is nobody to ask."""
        return []

    def prepare(self, config: Mapping[str, Any]) -> None:
        """Write JMeter's properties."""
        self._properties.write_text(effective.generator_properties(config), encoding="ascii")

    def start(self, interrupted: Callable[[], bool]) -> None:
        """Start JMeter."""
        arguments = command(self._places, self._properties, self._log)
        self._generator = Generator(arguments, environment(self._heap), self._output, self._places.root)

    def check(self, interrupted: Callable[[], bool]) -> Seen:
        """Look whether JMeter still runs."""
        return Seen(self._generator is not None and self._generator.code is not None)

    def stop(self, reason: str | None, patience_seconds: float) -> Seen:
        """Stop JMeter if it still runs."""
        if self._generator is None:
            return Seen(True)
        trouble = self._generator.stop(patience_seconds)
        self._generator.close()
        return Seen(True, [trouble] if trouble else [])

    def ends(self, has_final: bool) -> Ends:
        """Take it for lost without a last line."""
        return Ends([] if has_final else [0], exit_codes={0: self._generator.code if self._generator else None})
