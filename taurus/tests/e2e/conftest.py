"""A checkout with what the launcher has built, and folders of its own for data and bundles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

from tests.conftest import Checkout
from tests.e2e.ferretdb import link_programs
from tests.e2e.machine import Machine

if TYPE_CHECKING:
    from tests.e2e.hosts_cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
BUILT = ("app", "jmeter")
SMALL = {"workload.data.documents": "5000", "workload.data.tenants": "20"}
SHORT = {"execution.0.warm-up": "1s", "execution.0.ramp-up": "1s", "execution.0.hold-for": "5s"}
# The smoke profile at a rate and with criteria that a busy machine holds.
GENTLE = {
    "execution.0.throughput": "100",
    "reporting.1.criteria": '["fail>1%, continue as failed", "p50>30s, continue as failed"]',
}
# With thinking, so that eight workers leave the processors to the test beside them.
CLOSED = {"execution.0.warm-up": "1s", "execution.0.hold-for": "2s", "execution.0.think-time": "5ms"}


def options(values: dict[str, str]) -> list[str]:
    return [part for key, value in values.items() for part in ("-o", f"{key}={value}")]


class RealCheckout(Checkout):
    """The real child, generator and database."""

    patience_seconds = 600
    is_forked = False

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.environment["JAVA_HOME"] = os.environ.get("JAVA_HOME", "")
        (root / "jmx").symlink_to(ROOT / "jmx")

    def set_up(self, home: Path) -> None:
        home.mkdir()
        for name in BUILT:
            (home / name).symlink_to(ROOT / ".shardload" / name)
        (home / "data").mkdir()
        link_programs(ROOT / ".shardload", home / "data")

    def short(self, **changes: str) -> list[str]:
        changed = {f"execution.0.{key.replace('_', '-')}": value for key, value in changes.items()}
        return options({**SMALL, **SHORT, **GENTLE, **changed})

    @property
    def small(self) -> list[str]:
        return options(SMALL)

    @property
    def closed(self) -> list[str]:
        """Without a rate: no sound run misses one, however slow the machine is."""
        return ["--profile", "closed", *options({**SMALL, **CLOSED})]

    @property
    def latest(self) -> Path:
        return max((self.root / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)

    def target(self, name: str, like: str, **changes: object) -> None:
        """Write a target file as a user would: a copy of another with its own address."""
        folder = self.root / "taurus" / "targets"
        content = yaml.safe_load((folder / f"{like}.yml").read_text())
        content["target"].update({key.replace("_", "-"): value for key, value in changes.items()})
        (folder / f"{name}.yml").write_text(yaml.safe_dump(content))

    def processes(self) -> dict[int, str]:
        """All processes that belong to this checkout: their command line or folder names it."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                where = str((folder / "cwd").readlink())
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            ours = str(self.root) in command or where.startswith(str(self.root))
            if ours and state != "Z" and int(folder.name) != os.getpid():
                found[int(folder.name)] = command
        return found

    def pid_of(self, part: str) -> int:
        return next(pid for pid, command in self.processes().items() if part in command)

    def living(self) -> list[str]:
        return [f"{pid}: {command}" for pid, command in self.processes().items()]


def expect_built() -> None:
    if not all((ROOT / ".shardload" / name).exists() for name in BUILT):
        pytest.fail("nothing is built: run ./shardload once, or ./shardload test")


class Recorded(NamedTuple):
    """A checkout after runs on its own PostgreSQL, for tests that read bundles: how each run ended, and around it."""

    real: RealCheckout
    runs: list[tuple[int, str, Machine, Machine]]


@contextmanager
def checked_out(root: Path) -> Iterator[RealCheckout]:
    expect_built()
    made = RealCheckout(root)
    yield made
    assert made.wait_until_gone() == [], "no process may outlive its run"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[RealCheckout]:
    with checked_out(tmp_path / "checkout") as made:
        yield made


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Return two runs, for all tests of the session that only read bundles."""
    with checked_out(tmp_path_factory.mktemp("recorded") / "checkout") as real:
        runs = []
        for _ in range(2):
            before = Machine.now()
            code, output = real.run("run", *real.short())
            runs.append((code, output, before, Machine.now()))
        yield Recorded(real, runs)


@pytest.fixture(scope="session")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return three load hosts with running supervisors, a controller and a database, for all tests of the session."""
    from tests.e2e.hosts_cluster import Cluster

    expect_built()
    made = Cluster(tmp_path_factory.mktemp("hosts"))
    try:
        made.set_up()
        yield made
    finally:
        made.close()


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Iterator[Cluster]:
    """Return the load hosts, idle before the test."""
    shared_cluster.settle()
    yield shared_cluster
    shared_cluster.end_runs()
    assert shared_cluster.controller.wait_until_gone() == [], "no process may outlive its run"
