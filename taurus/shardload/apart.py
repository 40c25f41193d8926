"""A command under Jenkins runs apart from the processes that Jenkins ends, so that an aborted build ends in order.

Jenkins aborts a step by ending every process that has the step's cookie in its environment, and their descendants:
children first, one after another, each with SIGTERM and, a few seconds later, SIGKILL. A run would lose its database
session, its generator and the journals of its load hosts before it received the signal to stop. The process that
Jenkins sees, the front, therefore starts the command as a process without the cookie and outside its descendants,
forwards signals, and ends with the command's exit code. When the front is killed, the command stops by itself, as on
SIGTERM.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shardload import exit_codes
from shardload.cli import SCRIPTS
from shardload.config.places import Places

# Jenkins ends the processes of a step by the first, what is left on a node by the second.
COOKIES = ("JENKINS_SERVER_COOKIE", "JENKINS_NODE_COOKIE")
_PIPES = "SHARDLOAD_APART"
_LOCK = "apart.pid"
_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def perform(main: Callable[[], int], environment: Mapping[str, str]) -> int:
    """Perform the command line apart if Jenkins calls, or else here, and return the exit code."""
    pipes = environment.get(_PIPES)
    if pipes is not None:
        return _as_command(main, *map(int, pipes.split(",")))
    # A script takes the place of the process, so nobody would be left to tell how it ended.
    is_script = sys.argv[1:2] and sys.argv[1] in SCRIPTS
    if any(name in environment for name in COOKIES) and not is_script:
        return _Front().run([sys.executable, "-m", "shardload", *sys.argv[1:]], environment)
    return main()


class _Front:
    """Stands for the command in the eyes of Jenkins."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._signal: int | None = None

    def run(self, command: Sequence[str], environment: Mapping[str, str]) -> int:
        """Start the command, wait for its end, and return its exit code."""
        for number in _NUMBERS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
        # The command notices by the end of one pipe that this process is gone. The other pipe carries its exit code.
        watched, _ours = os.pipe()
        heard, told = os.pipe()
        start_orphan(command, environment, watched, told)
        os.close(watched)
        os.close(told)
        with open(heard, encoding="ascii") as reports:
            self._pid = int(reports.readline() or 0)
            if self._signal is not None:
                self._handle(self._signal, None)
            code = reports.read()  # until it is gone
        return int(code) if code else exit_codes.PART_DIED

    def _handle(self, number: int, frame: Any) -> None:
        self._signal = number
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)


def start_orphan(command: Sequence[str], environment: Mapping[str, str], watched: int, told: int) -> None:
    """Start a process whose parent is gone at once, in a session of its own, and write its id into a pipe."""
    kept = {name: value for name, value in environment.items() if name not in COOKIES}
    kept[_PIPES] = f"{watched},{told}"
    parent = os.fork()
    if parent:
        os.waitpid(parent, 0)
        return
    try:
        child = subprocess.Popen(command, env=kept, start_new_session=True, pass_fds=(watched, told))
        os.write(told, b"%d\n" % child.pid)
    finally:
        os._exit(0)


def _as_command(main: Callable[[], int], watched: int, told: int) -> int:
    """Perform the command line as the process that the front has started."""
    del os.environ[_PIPES]
    for descriptor in (watched, told):
        os.set_inheritable(descriptor, False)
    threading.Thread(target=_stop_with, args=(watched,), daemon=True).start()
    _wait_for_the_one_before()
    code = exit_codes.PART_DIED
    try:
        code = main()
    finally:
        sys.stdout.flush()
        with contextlib.suppress(OSError):
            os.write(told, b"%d\n" % code)
    return code


def _wait_for_the_one_before() -> None:
    """Wait until every command in this checkout that lost its front has ended."""
    home = Places.find().home
    with contextlib.suppress(OSError):
        home.mkdir(exist_ok=True)
        # Held until this process ends, however it does.
        lock = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(lock, 32).decode().strip()
            # Not where a caller reads what the command prints.
            print(f"waiting for the end of process {owner}, the command before", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"%d\n" % os.getpid(), 0)


def _stop_with(watched: int) -> None:
    """Ask this process to stop when its front is gone."""
    while os.read(watched, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
