"""A checkout in a temporary folder, with what the launcher has built, and the commands that a user calls in it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs import ROOT

BUILT = ("app", "jmeter")
PATIENCE_SECONDS = 400
# How long a process may take to end by itself.
LEAVE_SECONDS = 60
SMALL = {"workload.data.documents": "5000", "workload.data.tenants": "20"}


def options(values: dict[str, str]) -> list[str]:
    return [part for key, value in values.items() for part in ("-o", f"{key}={value}")]


@dataclass(frozen=True)
class Checkout:
    """Where runs, data and discovery files of a test lie."""

    root: Path

    @property
    def discovery(self) -> Path:
        return self.root / ".shardload" / "metrics"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "SHARDLOAD_ROOT": str(self.root),
            "PYTHONPATH": str(ROOT / "taurus"),
            "HOME": str(self.root.parent / "home"),
        }

    def target(self, name: str, **changes: object) -> None:
        """Change a target file as a user would."""
        path = self.root / "taurus" / "targets" / f"{name}.yml"
        content = yaml.safe_load(path.read_text())
        content["target"].update(changes)
        path.write_text(yaml.safe_dump(content))

    def start(self, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
        with log.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "shardload", *arguments], cwd=self.root, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def call(self, log: Path, *arguments: str) -> tuple[int, str]:
        process = self.start(log, *arguments)
        try:
            code = process.wait(PATIENCE_SECONDS)
        finally:
            end(process)
        return code, log.read_text(errors="replace")

    def bundles(self) -> list[Path]:
        """Return the bundles of all runs, the oldest first."""
        return sorted((self.root / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)

    def summary(self, bundle: Path) -> dict[str, Any]:
        return json.loads((bundle / "summary.json").read_text())

    def living(self) -> dict[int, str]:
        """Return the command lines of all processes that belong to this checkout, by process id."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if str(self.root) in command and state != "Z" and int(folder.name) != os.getpid():
                found[int(folder.name)] = command
        return found

    def left_over(self) -> list[str]:
        """Return the command lines of the processes that do not end by themselves, and end them."""
        deadline = time.monotonic() + LEAVE_SECONDS
        while (found := self.living()) and time.monotonic() < deadline:
            time.sleep(0.2)
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return list(found.values())


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process in order, and at last without asking."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(20)


@contextmanager
def checked_out(folder: Path) -> Iterator[Checkout]:
    """Make a checkout; no process may outlive it."""
    if not all((ROOT / ".shardload" / name).exists() for name in BUILT):
        pytest.fail("nothing is built: run ./shardload once, or ./shardload test")
    root = folder / "checkout"
    for path in (root / ".shardload", root / "taurus", folder / "home"):
        path.mkdir(parents=True)
    for name in BUILT:
        (root / ".shardload" / name).symlink_to(ROOT / ".shardload" / name)
    (root / "jmx").symlink_to(ROOT / "jmx")
    shutil.copy(ROOT / "taurus" / "base.yml", root / "taurus" / "base.yml")
    for name in ("targets", "workloads", "profiles"):
        shutil.copytree(ROOT / "taurus" / name, root / "taurus" / name)
    made = Checkout(root)
    try:
        yield made
    except BaseException:
        # The failure itself is what matters.
        made.left_over()
        raise
    assert made.left_over() == [], "no process may outlive its test"
