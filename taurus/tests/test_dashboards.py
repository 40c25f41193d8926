"""The verb dashboards with fake programs: what it starts, what it says is missing, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shardload.verbs.dashboards import end
from tests.conftest import TAURUS, Checkout

# Writes how it was called, and runs until it is ended.
PROGRAM = """#!{python}
import json, os, signal, sys
settings = {{name: value for name, value in os.environ.items() if name.startswith("GF_")}}
with open("{folder}/{name}.json", "w") as file:
    json.dump([sys.argv[1:], settings], file)
print("cannot listen: address in use", flush=True)
signal.pause() if not {ends} else None
"""


@pytest.fixture
def path(checkout: Checkout) -> Path:
    """Return a folder that alone is on PATH."""
    folder = checkout.root.parent / "path"
    folder.mkdir()
    (checkout.root / "grafana").symlink_to(TAURUS.parent / "grafana")
    return folder


def program(path: Path, name: str, ends: bool = False) -> None:
    file = path / name
    file.write_text(PROGRAM.format(python=sys.executable, folder=path, name=name, ends=ends))
    file.chmod(0o755)


def test_without_a_store_it_prints_where_to_get_one(checkout: Checkout, path: Path) -> None:
    code, output = checkout.run("dashboards", PATH=str(path))
    assert code == 1
    assert output.startswith("shardload: no victoria-metrics found; put it on PATH")
    assert "apt-get download victoria-metrics" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_everything_listens_on_loopback_until_a_signal_comes(
    checkout: Checkout, path: Path, number: signal.Signals
) -> None:
    for name in ("victoria-metrics", "node_exporter", "grafana"):
        program(path, name)
    process = checkout.start("dashboards", "--target", "noop", PATH=str(path))
    assert process.stdout is not None
    lines = [next(process.stdout).rstrip() for _ in range(4)]
    assert lines[0].startswith("wrote .shardload/dashboards/scrape.yml")
    assert lines[1:] == [
        "store     http://127.0.0.1:8428",
        "machine   127.0.0.1:9100",
        "grafana   http://127.0.0.1:3000",
    ]
    called = {name: read(path / f"{name}.json") for name in ("victoria-metrics", "node_exporter", "grafana")}
    process.send_signal(number)
    assert checkout.end_of(process) == (0, "")
    assert [each for each in Path("/proc").glob("[0-9]*") if str(path) in command(each)] == []
    flags, _ = called["victoria-metrics"]
    home = checkout.root / ".shardload" / "dashboards"
    assert "-httpListenAddr=127.0.0.1:8428" in flags
    assert flags[-2:] == [f"-storageDataPath={home}/store", f"-promscrape.config={home}/scrape.yml"]
    assert called["node_exporter"][0] == ["--web.listen-address=127.0.0.1:9100"]
    arguments, settings = called["grafana"]
    assert arguments == ["server"]
    assert settings["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert settings["GF_PATHS_PROVISIONING"] == f"{home}/provisioning"
    boards = checkout.root / "grafana" / "dashboards"
    assert settings["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == f"{boards}/run.json"
    assert f"path: {boards}\n" in (home / "provisioning" / "dashboards" / "shardload.yml").read_text()


def read(file: Path) -> tuple[list[str], dict[str, str]]:
    """Wait for what a program writes that was started a moment ago."""
    for _ in range(600):
        try:
            arguments, settings = json.loads(file.read_text())
            return arguments, settings
        except (OSError, ValueError):
            time.sleep(0.1)
    raise AssertionError(f"{file} was not written")


def command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def test_what_is_missing_is_named_and_a_store_that_ends_ends_it(checkout: Checkout, path: Path) -> None:
    program(path, "victoria-metrics-prod", ends=True)
    code, output = checkout.run("dashboards", "--target", "noop", PATH=str(path))
    assert code == 2
    assert output.splitlines()[1:] == [
        "store     http://127.0.0.1:8428",
        "machine   missing: node_exporter, for CPU and IOPS",
        "grafana   missing: unpack grafana.com/grafana/download, put its bin on PATH",
        "store ended with 0: see .shardload/dashboards/store.log",
    ]


def test_a_part_that_ends_early_is_named_and_the_others_go_on(checkout: Checkout, path: Path) -> None:
    program(path, "victoria-metrics")
    program(path, "grafana", ends=True)
    process = checkout.start("dashboards", "--target", "noop", PATH=str(path))
    assert process.stdout is not None
    lines = [next(process.stdout).rstrip() for _ in range(5)]
    assert lines[-1] == "grafana ended with 0: see .shardload/dashboards/grafana.log"
    process.send_signal(signal.SIGTERM)
    assert checkout.end_of(process) == (0, "")


def test_a_program_that_ignores_the_order_to_end_is_killed() -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    end([process], patience_seconds=0.2)
    assert process.returncode == -signal.SIGKILL


def test_the_servers_of_the_target_are_watched(checkout: Checkout, path: Path) -> None:
    program(path, "victoria-metrics")
    process = checkout.start("dashboards", "--target", "embedded-postgresql", PATH=str(path))
    checkout.wait_for_requests("server-metrics")
    process.send_signal(signal.SIGTERM)
    assert checkout.end_of(process)[0] == 0
    assert checkout.wait_until_gone() == []
