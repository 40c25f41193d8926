"""Runs the commands of several parts at the same time, and leaves none of them behind, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shardload.setup.parts import Part

_POLL_SECONDS = 0.1
# How long a part may take to end after the signal.
_END_SECONDS = 10.0


class Failed(Exception):
    """A part could not be set up."""

    def __init__(self, title: str, log: Path, reason: str = "") -> None:
        super().__init__(title)
        self.title, self.log, self.reason = title, log, reason


class Stopped(Exception):
    """The user, or who started this, wants it to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Display(Protocol):
    """Hears how far the parts are."""

    def draw(self, jobs: Sequence[Job]) -> None:
        """Show those at work; called every moment."""

    def done(self, job: Job) -> None:
        """Show that one has ended."""


@dataclass
class Job:
    """A part at work."""

    part: Part
    log: Path
    began: float
    ended: float | None = None
    step: int = -1
    process: subprocess.Popen[bytes] | None = None
    failed: bool = False

    def seconds(self) -> int:
        """Return how long it has taken so far."""
        return int((self.ended or time.monotonic()) - self.began)

    def advance(self, root: Path) -> None:
        """Start the next command where the one before has ended."""
        if self.step < 0:
            self.began = time.monotonic()
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                return
            self.process = None
            if code != 0 and not self.part.without:
                raise Failed(self.part.title, self.log)
            self.failed = code != 0
            if self.failed:
                self.ended = time.monotonic()
                return
        self.step += 1
        try:
            if self.step == 0:
                self.part.begin()
            if self.step < len(self.part.commands):
                self._start(self.part.commands[self.step], root)
            else:
                self.part.finish()
                self.ended = time.monotonic()
        except OSError as error:
            raise Failed(self.part.title, self.log, str(error)) from error

    def _start(self, command: Sequence[str], root: Path) -> None:
        with open(self.log, "ab") as log:
            log.write(f"--- {' '.join(command)}\n".encode())
            log.flush()
            # A session of its own: what it starts can be ended with it, and Ctrl-C reaches it through us alone.
            self.process = subprocess.Popen(
                list(command),
                cwd=root,
                env={**os.environ, **self.part.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """Send a signal to the command and to all that it has started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


def run(
    parts: Sequence[Part],
    root: Path,
    logs: Callable[[str], Path],
    display: Display,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Set the parts up side by side; raise Failed, or what ``check`` raises, once all that was started has ended."""
    jobs = []
    for part in parts:
        log = logs(part.name)
        log.write_bytes(b"")
        jobs.append(Job(part, log, time.monotonic()))
    try:
        while any(job.ended is None for job in jobs):
            ended = {job.part.name for job in jobs if job.ended is not None}
            check()
            for job in jobs:
                if job.ended is None and (not job.part.after or job.part.after in ended):
                    job.advance(root)
                    if job.ended is not None:
                        display.done(job)
            display.draw([job for job in jobs if job.ended is None and job.step >= 0])
            time.sleep(_POLL_SECONDS)
    finally:
        _end(jobs)


def _end(jobs: Sequence[Job]) -> None:
    """End what is still at work, and wait for it."""
    left = [job for job in jobs if job.process is not None]
    for job in left:
        job.signal(signal.SIGTERM)
    deadline = time.monotonic() + _END_SECONDS
    for job in left:
        assert job.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.process.wait(max(0.0, deadline - time.monotonic()))
        # Also when the command itself has ended: something that it started may not have.
        job.signal(signal.SIGKILL)
        job.process.wait()


class Signals:
    """Ctrl-C and the like, noted until ``run`` looks, also where a shell has started this in the background.

    A handler that raised could do so between the start of a process and the moment its number is known.
    """

    _ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._received: int | None = None
        for number in self._ENDING:
            signal.signal(number, self._note)

    def _note(self, number: int, _frame: object) -> None:
        self._received = self._received or number

    def check(self) -> None:
        """Raise Stopped if a signal has come."""
        if self._received is not None:
            raise Stopped(self._received)
