"""A controller, three load hosts and a database, each in a network namespace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from tests.e2e.conftest import BUILT, ROOT, RealCheckout, options
from tests.e2e.hosts import Host, Network, sockets, wait_for
from tests.e2e.hosts_servers import PASSWORD_ENV, Database

PORT = 1099
Changes = Mapping[str, Optional[str]]
KEYS = Path(".shardload/keys")
# Low enough for a busy machine with two cores.
GENTLE = {
    "execution.0.concurrency": "9",
    "execution.0.throughput": "120",
    "execution.0.warm-up": "1s",
    "execution.0.ramp-up": "1s",
    "execution.0.hold-for": "5s",
    "workload.data.documents": "2000",
    "workload.data.tenants": "20",
    "reporting.1.criteria": '["fail>1%, continue as failed", "p50>30s, continue as failed"]',
}


class Controller(RealCheckout):
    """The checkout that runs are started from, on a host of its own."""

    def __init__(self, root: Path, host: Host) -> None:
        super().__init__(root)
        self.host = host
        self.prefix = tuple(host.command())

    def bundles(self) -> set[Path]:
        """Return all bundles."""
        folder = self.root / "runs"
        return set(folder.iterdir()) if folder.exists() else set()


class LoadHost:
    """A load host with its supervisor, in a folder like a checkout's."""

    def __init__(self, host: Host, folder: Path, password: str) -> None:
        self.host = host
        self.folder = folder
        self.log = folder / "generator.log"
        self._environment = {
            **os.environ,
            "SHARDLOAD_ROOT": str(folder),
            "PYTHONPATH": str(ROOT / "taurus"),
            "HOME": str(folder),
            PASSWORD_ENV: password,
        }
        self._supervisor: subprocess.Popen[str] | None = None
        (folder / ".shardload").mkdir(parents=True)
        (folder / "jmx").symlink_to(ROOT / "jmx")
        (folder / "taurus").mkdir()
        (folder / "taurus" / "workloads").symlink_to(ROOT / "taurus" / "workloads")
        for name in BUILT:
            (folder / ".shardload" / name).symlink_to(ROOT / ".shardload" / name)

    @property
    def address(self) -> str:
        return self.host.address

    def receive_keys(self, keys: Path) -> None:
        """Take the key material of another folder."""
        shutil.copytree(keys, self.folder / KEYS)

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        """Start the supervisor and wait for its first engine."""
        self.launch(environment)
        self.wait_for_engine()

    def launch(self, environment: Mapping[str, str] | None = None) -> None:
        """Start the supervisor."""
        merged = {**self._environment, **(environment or {})}
        command = [sys.executable, "-m", "shardload", "generator", "--listen", self.address]
        self._supervisor = self.host.start(command, self.folder, merged, self.log)

    def stop(self) -> None:
        """End supervisor and engine without warning."""
        self.host.kill()

    @contextmanager
    def restarted(self, environment: Mapping[str, str] | None = None) -> Iterator[None]:
        """Let the host have another environment for a while."""
        self.stop()
        try:
            self.start(environment)
            yield
        finally:
            self.stop()
            self.start()

    def engine(self) -> int | None:
        """Return the engine's process; None while there is none."""
        found = self.host.pids_of("/ApacheJMeter.jar")
        return found[0] if found else None

    def wait_for_engine(self, other_than: int | None = None) -> int:
        """Wait until an engine listens, a new one if one is named."""

        def ready() -> int | None:
            pid = self.engine()
            listening = {socket.port for socket in sockets(pid)} if pid else set()
            return pid if pid != other_than and {PORT, PORT + 1} <= listening else None

        pid: int = wait_for(ready, f"an engine on {self.host.name}, see {self.log}")
        return pid

    def run_folder(self, run: str) -> Path:
        """Return where the host keeps its files of a run."""
        (found,) = (path for path in self.folder.rglob(run) if path.is_dir())
        return found


class Run:
    """A run that was started on the controller."""

    def __init__(self, controller: Controller, process: subprocess.Popen[str], before: set[Path]) -> None:
        self._controller = controller
        self._before = before
        self.process = process
        self.code = -1
        self.output = ""

    @property
    def left(self) -> list[Path]:
        """Return the bundles that were made since it was started."""
        return sorted(self._controller.bundles() - self._before)

    @property
    def bundle(self) -> Path:
        """Return the folder of this run."""
        assert self.left, self.output
        return self.left[-1]

    def read(self, name: str) -> dict:
        """Return a file of the bundle."""
        return json.loads((self.bundle / name).read_text(encoding="utf-8"))

    def merged_seconds(self) -> int:
        """Return how many seconds are merged."""
        files = [bundle / "latencies" / "merged.jsonl" for bundle in self.left]
        return sum(file.read_text(encoding="utf-8").count("\n") for file in files if file.exists())

    def wait_for_load(self, seconds: int = 3) -> None:
        """Wait until so many seconds are measured and merged."""

        def measured() -> bool:
            assert self.process.poll() is None, self.end().output
            return self.merged_seconds() >= seconds

        wait_for(measured, "the load")

    def end(self) -> Run:
        """Wait until it has ended by itself."""
        if self.code == -1:
            self.code, self.output = self._controller.end_of(self.process)
        return self


class Cluster:
    """Everything that a test of load hosts needs, started once."""

    controller: Controller
    database: Database
    hosts: list[LoadHost]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.network = Network()
        self._runs: list[Run] = []

    def set_up(self, hosts: int = 3) -> None:
        """Start database and supervisors."""
        self.controller = Controller(self.folder / "controller", self.network.add("controller", 1))
        self.database = Database(self.network.add("database", 20), self.folder / "database")
        password = self.database.password
        self.controller.environment[PASSWORD_ENV] = password
        code, output = self.controller.run("keys")
        assert code == 0, output
        self.hosts = [
            LoadHost(self.network.add(f"host{n}", 11 + n), self.folder / f"host{n}", password) for n in range(hosts)
        ]
        for host in self.hosts:
            host.receive_keys(self.keys)
            host.launch()
        for host in self.hosts:
            host.wait_for_engine()
        self.target("noop", "noop")
        self.target("postgresql", "postgresql", **self.database.as_target())

    @property
    def keys(self) -> Path:
        return self.controller.root / KEYS

    @property
    def addresses(self) -> list[str]:
        return [host.address for host in self.hosts]

    def target(self, name: str, like: str, **changes: object) -> None:
        """Write two target files, one with the load hosts and one without."""
        self.controller.target(f"{name}-here", like, **changes)
        self.controller.target(f"{name}-hosts", like, **{"load_hosts": self.addresses, **changes})

    def begin(self, target: str, *arguments: str, changes: Changes | None = None) -> Run:
        """Start a run like GENTLE, but for the changes; None leaves a key out."""
        changed = {**GENTLE, **(changes or {})}
        values = options({key: value for key, value in changed.items() if value is not None})
        before = self.controller.bundles()
        process = self.controller.start("run", "--target", target, *values, *arguments)
        run = Run(self.controller, process, before)
        self._runs.append(run)
        return run

    def end_runs(self) -> None:
        """End what a failed test has left running."""
        for run in self._runs:
            if run.process.poll() is None:
                run.process.terminate()
                run.end()
        self._runs.clear()

    def run(self, target: str, *arguments: str, changes: Changes | None = None) -> Run:
        """Start a run and wait for its end."""
        return self.begin(target, *arguments, changes=changes).end()

    def settle(self) -> None:
        """Mend what a test has broken, and wait for idle engines."""
        for host in self.hosts:
            host.host.mend()
            host.wait_for_engine()

    def close(self) -> None:
        """End and remove everything."""
        self.network.close()
