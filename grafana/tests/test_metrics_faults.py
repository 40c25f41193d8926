"""No run fails because of its metrics: a port that is taken, a store that is gone, metrics that are off."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import SMALL, Checkout, checked_out, end, options
from tests.programs import free_port, program, started

pytestmark = pytest.mark.e2e
SHORT = {"warm-up": "0s", "ramp-up": "0s", "hold-for": "8s", "throughput": "50"}
RUN = ["run", "--target", "noop", *options({**SMALL, **{f"execution.0.{key}": value for key, value in SHORT.items()}})]
# What a busy machine does to a sound run.
ENDINGS = (0, 3, 5)


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    with checked_out(tmp_path) as made:
        yield made


def summary_of(checkout: Checkout) -> dict[str, Any]:
    (bundle,) = checkout.bundles()
    summary = json.loads((bundle / "summary.json").read_text())
    assert summary["ledger"]["scheduled"] == 400
    assert summary["ledger"]["done"] + summary["ledger"]["missing"] == 400
    return summary


def addresses(checkout: Checkout) -> list[str]:
    found = [json.loads(path.read_text()) for path in sorted(checkout.discovery.glob("*.json"))]
    return [address for entries in found for entry in entries for address in entry["targets"]]


def test_a_port_in_use_is_a_finding(checkout: Checkout, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        checkout.target("noop", metrics={"listen": f"127.0.0.1:{port}"})
        code, output = checkout.call(tmp_path / "log", *RUN)
    assert code in ENDINGS, output
    found = [line for line in summary_of(checkout)["findings"] if f"port {port} is in use" in line]
    assert len(found) == 1, output
    assert f"port {port} is in use" in output


def test_a_store_that_is_gone_holds_nothing_up_for_long(checkout: Checkout, tmp_path: Path) -> None:
    process: subprocess.Popen[bytes] = checkout.start(tmp_path / "log", *RUN)
    try:
        deadline = time.monotonic() + 200
        while len(addresses(checkout)) < 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
        scraped = addresses(checkout)
        assert len(scraped) == 2, "the generator's file and the controller's"
        for address in scraped:
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as page:
                assert b"shardload_" in page.read()
        assert process.wait(200) in ENDINGS, (tmp_path / "log").read_text()
    finally:
        end(process)
    assert not [line for line in summary_of(checkout)["findings"] if "metrics" in line]
    assert addresses(checkout) == [], "the files go with the run"


def test_where_metrics_are_off_nothing_listens(checkout: Checkout, tmp_path: Path) -> None:
    checkout.target("noop", metrics={"listen": False})
    process = checkout.start(tmp_path / "log", *RUN)
    try:
        while process.poll() is None:
            assert addresses(checkout) == []
            time.sleep(0.2)
    finally:
        end(process)
    assert process.returncode in ENDINGS, (tmp_path / "log").read_text()
    summary_of(checkout)


def machines(checkout: Checkout) -> dict[str, Any]:
    (bundle,) = checkout.bundles()
    return dict(json.loads((bundle / "hosts.json").read_text()))


def test_a_store_of_the_machines_that_is_gone_is_named(checkout: Checkout, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    checkout.target("noop", metrics={"url": url})
    code, output = checkout.call(tmp_path / "log", *RUN)
    assert code in ENDINGS, output
    message = f"cannot connect to a store at {url}: connection refused"
    assert f"machine figures are missing: {message}" in summary_of(checkout)["findings"]
    found = machines(checkout)
    assert (found["source"], found["hosts"]) == ("store", [])
    assert found["missing"] == [message]


def test_a_store_that_refuses_the_password_is_named(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORE_PASSWORD", "geheim-wrong")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        program("victoria-metrics"), f"-storageDataPath={tmp_path / 'data'}", f"-httpListenAddr=127.0.0.1:{port}",
        "-httpAuth.username=reader", "-httpAuth.password=geheim-right", "-memory.allowedBytes=256MB",
    ]  # fmt: skip
    checkout.target("noop", metrics={"url": url, "user": "reader", "password-env": "STORE_PASSWORD"})
    with started(command, tmp_path / "store.log", f"{url}/health"):
        code, output = checkout.call(tmp_path / "log", *RUN)
    assert code in ENDINGS, output
    message = f"the store at {url} does not accept user reader with this password (401)"
    assert machines(checkout)["missing"] == [message]
    assert f"machine figures are missing: {message}" in summary_of(checkout)["findings"]
    kept = [path for path in checkout.bundles()[0].rglob("*") if path.is_file()]
    assert not [path for path in kept if b"geheim" in path.read_bytes()], "no secret is in the bundle"
