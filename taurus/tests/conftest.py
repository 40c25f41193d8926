"""A small checkout with fakes in place of Java, for tests with the real Taurus."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked import Forked

# Under nohup SIGHUP is ignored, in the background job of a script SIGINT, and so they would be by everything that the
# tests start and send them to.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

TAURUS = Path(__file__).resolve().parents[1]
FAKES = Path(__file__).resolve().parent / "fakes"
# How long something that comes for sure may take on a busy machine.
PATIENCE_SECONDS = 240
FAST = {
    "execution.0.warm-up": "1s",
    "execution.0.ramp-up": "500ms",
    "execution.0.hold-for": "2s",
    "execution.0.statement-timeout": "1s",
}


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Checkout:
    """A checkout in a temporary folder, and the processes started in it."""

    patience_seconds = 240
    is_forked = True
    # What a command begins with that runs elsewhere than on this machine.
    prefix: tuple[str, ...] = ()

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pids = root.parent / "pids"
        self.environment = {
            **os.environ,
            "SHARDLOAD_ROOT": str(root),
            "PYTHONPATH": str(TAURUS),
            "JAVA_HOME": str(root.parent / "jdk"),
            "FAKE_PIDS": str(self.pids),
            "HOME": str(root.parent / "home"),
        }
        for folder in (self.pids, root.parent / "jdk" / "bin", root.parent / "home", root):
            folder.mkdir(parents=True)
        for name in ("base.yml", "targets", "workloads", "profiles", "scaffold", "acceptance"):
            source, target = TAURUS / name, root / "taurus" / name
            target.parent.mkdir(exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        self.set_up(root / ".shardload")
        java = root.parent / "jdk" / "bin" / "java"
        java.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKES}/fake_java.py" "$@"\n')
        java.chmod(java.stat().st_mode | stat.S_IXUSR)

    def set_up(self, home: Path) -> None:
        """Put there what the launcher sets up: JMeter's start scripts are the real ones."""
        shutil.copytree(TAURUS.parent / "jmx" / "home" / "bin", home / "jmeter" / "bin")

    def options(self, **changes: str | None) -> list[str]:
        values = {**FAST, **{f"execution.0.{key.replace('_', '-')}": value for key, value in changes.items()}}
        return [part for key, value in values.items() if value is not None for part in ("-o", f"{key}={value}")]

    def start(
        self, *arguments: str, plain_bzt: bool = False, module: str = "shardload", **environment: str
    ) -> subprocess.Popen[str]:
        if self.is_forked and not plain_bzt and not self.prefix:
            return Forked(module, arguments, self.root, {**self.environment, **environment})
        head = [str(Path(sys.executable).with_name("bzt"))] if plain_bzt else [sys.executable, "-m", module]
        return subprocess.Popen(
            [*self.prefix, *head, *arguments],
            cwd=self.root,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, plain_bzt: bool = False, **environment: str) -> tuple[int, str]:
        return self.end_of(self.start(*arguments, plain_bzt=plain_bzt, **environment))

    def end_of(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        """Wait until it ends by itself."""
        try:
            output, _ = process.communicate(timeout=self.patience_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        except BaseException:
            process.terminate()
            process.communicate()
            raise
        return process.returncode, output

    def files(self, profile: str = "smoke") -> list[str]:
        names = ("base.yml", "targets/noop.yml", "workloads/document-store.yml", f"profiles/{profile}.yml")
        return [f"taurus/{name}" for name in names]

    @property
    def bundle(self) -> Path:
        (bundle,) = (self.root / "runs").iterdir()
        return bundle

    def read(self, name: str) -> dict:
        return json.loads((self.bundle / name).read_text())

    @property
    def requests(self) -> list[dict]:
        return [json.loads(line) for line in (self.pids / "requests").read_text().splitlines()]

    def living(self) -> list[str]:
        """Names of the fakes that still run."""
        names = [path.name for path in self.pids.iterdir() if path.name.startswith("fake_")]
        return [name for name in names if _runs(int(name.rpartition(".")[2]))]

    def wait_until_gone(self) -> list[str]:
        """Wait until nothing of this checkout runs any more, and return the names of what still does."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.living() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.living()

    def wait_for_requests(self, verb: str, times: int = 1) -> None:
        """Wait until the fakes of Java were asked so often."""
        file = self.pids / "requests"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if file.exists() and file.read_text().count(f'"verb": "{verb}"') >= times:
                return
            time.sleep(0.05)
        raise AssertionError(f"{verb} was not asked {times} times")

    def wait_for(self, pattern: str) -> Path:
        """Wait until a file of the bundle is there and not empty."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for path in self.root.parent.glob(pattern):
                if path.stat().st_size or path.parent == self.pids:
                    return path
            time.sleep(0.05)
        raise AssertionError(f"{pattern} did not appear")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one process have the tests of a module that share a run, a child or a server (--dist loadgroup)."""
    for item in items:
        for shared in {"whole", "searched", "made", "recorded", "server"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(f"{item.path.name} {shared}"))


def open_to_others(folder: Path) -> list[str]:
    """Return what is in a folder, itself included, that others than its owner have any right to."""
    paths = [path for path in (folder, *folder.rglob("*")) if not path.is_symlink()]
    return [f"{path}: {path.stat().st_mode & 0o777:o}" for path in paths if path.stat().st_mode & 0o077]


def leftovers(checkout: Checkout) -> list[str]:
    """Return what stands in a checkout beside its own files, the JMeter that is set up in it and an empty folder."""
    home = checkout.root / ".shardload"
    paths = [*checkout.root.iterdir(), *home.iterdir(), *home.glob("metrics/*")]
    return [path.name for path in paths if path.name not in ("taurus", ".shardload", "jmeter", "metrics")]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    made = Checkout(tmp_path / "checkout")
    yield made
    assert made.wait_until_gone() == [], "no process may outlive its run"
