"""Acceptance through the launcher, on the PostgreSQL that shardload brings along."""

from __future__ import annotations

import getpass
import json
import re
import signal
import socket
import time
from pathlib import Path

import pytest

from shardload.verbs.acceptance.registry import CHECKS
from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import postgresql

pytestmark = [pytest.mark.e2e, pytest.mark.long]
# At a rate that a busy machine holds.
FEW = ("-o", "workload.data.documents=2000", "-o", "workload.data.tenants=20", "-o", "execution.0.throughput=20")
BUILT = ROOT / ".shardload"


def told(real: RealCheckout) -> dict[str, dict]:
    return {each["name"]: each for each in json.loads((real.root / "a.json").read_text())["checks"]}


def expect_no_names(real: RealCheckout, *literals: str) -> None:
    for name in ("a.html", "a.json"):
        text = (real.root / name).read_text()
        for literal in ("127.0.0.1", str(real.root), str(Path.home()), *literals):
            assert literal not in text


def test_some_checks_on_a_server_with_a_password(real: RealCheckout, tmp_path: Path) -> None:
    """A user of the owner's on a server of the owner's; nothing of either is on the page."""
    with postgresql(BUILT, tmp_path) as server:
        real.target("mine", "postgresql", url=server.url, user=server.user, password_env="MINE_PASSWORD")
        code, output = real.run(
            "acceptance",
            *("-t", "mine", "--page", "a.html", *FEW),
            *("--only", "refusal-password,refusal-option,schema-index-btree,monitoring"),
            MINE_PASSWORD=server.password,
        )
    assert code == 0, output
    found = told(real)
    assert {each["status"] for each in found.values()} == {"passed"}
    assert "the server refuses user" in found["refusal-password"]["why"]
    assert found["tables"]["why"].startswith("PostgreSQL 18")
    assert found["schema-index-btree"]["why"].startswith("loaded, run, 2,")
    assert found["monitoring"]["why"].startswith("1 server reported")
    expect_no_names(real, server.password, server.url.split("/")[2].split(":")[1], "MINE", "mine.yml")


def test_data_of_others_are_left_alone(real: RealCheckout) -> None:
    target = ("-t", "embedded-postgresql", *FEW)
    assert real.run("load", *target, "-o", "workload.seed=5")[0] == 0
    code, output = real.run("acceptance", *target, "--only", "tables", "--page", "a.html")
    assert code == 1, output
    assert "created with seed 5" in output.splitlines()[-1]
    assert not (real.root / "a.html").exists()
    assert real.run("verify", *target, "-o", "workload.seed=5")[0] == 0
    assert real.run("acceptance", *target, "--only", "tables", "--page", "a.html", "--recreate")[0] == 0


def test_ctrl_c_in_a_variant_puts_the_data_in_order_and_writes_the_page(real: RealCheckout) -> None:
    target = ("-t", "embedded-postgresql", *FEW)
    process = real.start("acceptance", *target, "--page", "a.html", "--only", "schema-index-btree,verification")
    log = next_log(real, "schema-index-btree-2.log")
    assert log.exists()
    process.send_signal(signal.SIGINT)
    code, output = real.end_of(process)
    assert code == 2, output
    found = told(real)
    assert found["schema-index-btree"]["status"] == "not run"
    assert found["verification"]["why"] == "interrupted"
    # The table has the index of the target file again, and nothing is unsettled.
    assert real.run("verify", *target, "-o", "workload.seed=140414")[0] == 0


def next_log(real: RealCheckout, name: str) -> Path:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for found in (real.root / "runs").glob(f"*/logs/{name}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"{name} did not appear")


def test_every_check_on_the_embedded_server(real: RealCheckout) -> None:
    for name in ("jenkins", "grafana"):
        (real.root / name).symlink_to(ROOT / name)
    command = f"echo failed over at {socket.gethostname()}"
    # Ten loads and runs after each other: on a busy machine they take more than the usual ten minutes.
    real.patience_seconds = 3600
    target = ("-t", "embedded-postgresql", "--page", "a.html", *FEW)
    code, output = real.run("acceptance", *target, "--failover-command", command)
    assert code == 0, output
    found = told(real)
    assert list(found) == [check.name for check in CHECKS]
    assert {each["status"] for each in found.values()} == {"passed", "not applicable"}
    assert "data_table" in found["explain"]["why"]
    assert "writes after the failover" in found["failover"]["why"]
    assert found["unsettled"]["why"].startswith("code 1: ")
    assert re.match(r"(\d+) of \1 equal with ", found["parity"]["why"])
    assert found["jenkins-jobs"]["why"] == "no --jenkins was given"
    expect_no_names(real, socket.gethostname() + ":", f"{getpass.getuser()}@")
