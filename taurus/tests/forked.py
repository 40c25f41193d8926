"""Calls of shardload as processes that have imported Taurus before: its import takes longer than most calls."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

_SERVER = multiprocessing.get_context("forkserver")
# Not shardload itself: its modules keep the folder in which they were imported.
_SERVER.set_forkserver_preload(
    ["bzt.cli", *(f"bzt.modules.{name}" for name in ("aggregator", "console", "passfail", "reporting", "shellexec"))]
)


def _perform(module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], output: Any) -> None:
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    descriptor = output.detach()
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    os.close(descriptor)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


class Forked(subprocess.Popen[str]):
    """``python -m module`` without standard input, its output and errors in one pipe."""

    def __init__(self, module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        ours, theirs = os.pipe()
        self._process = _SERVER.Process(target=_perform, args=(module, arguments, folder, environment, DupFd(theirs)))
        self._process.start()
        os.close(theirs)
        self._child_created = False  # by subprocess
        self.pid = self._process.pid or 0
        self.stdout = open(ours)

    def poll(self) -> int | None:
        self.returncode = self._process.exitcode
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("shardload", timeout or 0)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[str, Any]:
        text: list[str] = []
        reader = threading.Thread(target=lambda: text.append(self.stdout.read()), daemon=True)
        reader.start()
        reader.join(timeout)
        if reader.is_alive():
            raise subprocess.TimeoutExpired("shardload", timeout or 0)
        self.wait(timeout)
        return text[0], None
