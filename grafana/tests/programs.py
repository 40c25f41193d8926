"""Real stores and exporters on loopback, each with a folder of its own, ended by their process ids."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from checks.store import Store

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".shardload" / "stores" / "usr" / "bin"
# How long something that comes for sure may take on a busy machine.
PATIENCE_SECONDS = 120
NO_TARGETS = "scrape_configs: []\n"


def program(name: str) -> str:
    path = PROGRAMS / name
    if not path.exists():
        pytest.fail(f"{path} is missing: run ./shardload test grafana, which unpacks the stores")
    return str(path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: list[str], log: Path, ready: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program, wait until its address answers, and end it."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=log.parent)
    try:
        wait_until_ready(process, ready, log)
        yield process
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"{url} does not answer: {log.read_text(errors='replace')[-2000:]}")


def is_below(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir(parents=True)
    return made


@contextmanager
def victoria_metrics(folder: Path, scrape: str = NO_TARGETS) -> Iterator[Store]:
    """Start VictoriaMetrics; instant queries see what is a second old, as in the compose file."""
    home, port = is_below(folder, "victoria-metrics"), free_port()
    (home / "scrape.yml").write_text(scrape)
    command = [
        program("victoria-metrics"), f"-storageDataPath={home / 'data'}", f"-httpListenAddr=127.0.0.1:{port}",
        f"-promscrape.config={home / 'scrape.yml'}", "-promscrape.fileSDCheckInterval=1s", "-search.latencyOffset=1s",
        "-search.disableCache", "-retentionPeriod=100y", "-memory.allowedBytes=256MB", "-loggerLevel=WARN",
    ]  # fmt: skip
    with started(command, home / "log", f"http://127.0.0.1:{port}/health"):
        yield Store(f"http://127.0.0.1:{port}")


@contextmanager
def prometheus(folder: Path, scrape: str = NO_TARGETS, data: Path | None = None) -> Iterator[Store]:
    """Start Prometheus, on blocks that were made before or on none."""
    home, port = is_below(folder, "prometheus"), free_port()
    (home / "prometheus.yml").write_text(scrape)
    command = [
        program("prometheus"), f"--config.file={home / 'prometheus.yml'}",
        f"--storage.tsdb.path={data or home / 'data'}", f"--web.listen-address=127.0.0.1:{port}",
        "--storage.tsdb.retention.time=100y", "--web.enable-admin-api", "--log.level=warn",
    ]  # fmt: skip
    with started(command, home / "log", f"http://127.0.0.1:{port}/-/ready"):
        yield Store(f"http://127.0.0.1:{port}")


@contextmanager
def node_exporter(folder: Path, *arguments: str) -> Iterator[str]:
    """Start node_exporter and yield its host and port."""
    home, address = is_below(folder, f"node-exporter-{free_port()}"), f"127.0.0.1:{free_port()}"
    command = [program("prometheus-node-exporter"), f"--web.listen-address={address}", *arguments]
    with started(command, home / "log", f"http://{address}/metrics"):
        yield address


KINDS: dict[str, Callable[[Path, str], AbstractContextManager[Store]]] = {
    "VictoriaMetrics": victoria_metrics,
    "Prometheus": prometheus,
}


@contextmanager
def scraping(folder: Path, scrape: str, kind: str) -> Iterator[Store]:
    """Start a store on a scrape configuration."""
    with KINDS[kind](folder, scrape) as store:
        yield store


def scraped_until(store: Store, moment: float) -> None:
    """Wait until the store has a sample of the exporter that was taken later."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = store.query("timestamp(node_uname_info)", time.time())
        if found and float(found[0]["value"][1]) > moment:
            return
        time.sleep(0.5)
    pytest.fail(f"{store.url} scrapes no more")


@contextmanager
def holding(folder: Path, history: History, kind: str) -> Iterator[Store]:
    """Start a store with series that were made before."""
    if kind == "Prometheus":
        source, blocks = folder / "series.om", is_below(folder, "blocks")
        source.write_text(history.openmetrics())
        make_blocks(source, blocks)
        with prometheus(folder, data=blocks) as store:
            yield store
        return
    with victoria_metrics(folder) as store:
        request = urllib.request.Request(f"{store.url}/api/v1/import/prometheus", history.text().encode())
        urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()
        flush(store)
        yield store


def make_blocks(source: Path, data: Path) -> None:
    """Add blocks with the samples of a file in the OpenMetrics format to the data of a Prometheus."""
    made = subprocess.run(
        [program("promtool"), "tsdb", "create-blocks-from", "openmetrics", str(source), str(data)],
        capture_output=True, text=True, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr


def flush(victoria: Store) -> None:
    """Make VictoriaMetrics find what was imported."""
    urllib.request.urlopen(f"{victoria.url}/internal/force_flush", timeout=PATIENCE_SECONDS).close()


def snapshot(store: Store, folder: Path) -> Path:
    """Return the data of a Prometheus that was started in this folder, with what it has not yet written to blocks."""
    request = urllib.request.Request(f"{store.url}/api/v1/admin/tsdb/snapshot", method="POST")
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        name = json.load(answer)["data"]["name"]
    return folder / "prometheus" / "data" / "snapshots" / str(name)


@dataclass(frozen=True)
class History:
    """Samples: the series as PromQL writes it, the seconds since 1970, the value."""

    samples: list[tuple[str, float, float]]

    def __add__(self, other: History) -> History:
        return History(self.samples + other.samples)

    def openmetrics(self) -> str:
        """Return the form that promtool takes: seconds, the samples of a series one behind the other."""
        lines = [f"{series} {value!r} {time:.3f}" for series, time, value in self.samples]
        return "\n".join([*lines, "# EOF", ""])

    def text(self) -> str:
        """Return the form that VictoriaMetrics takes: milliseconds."""
        return "".join(f"{series} {value!r} {round(time * 1000)}\n" for series, time, value in self.samples)
