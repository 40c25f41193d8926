"""What holds on every system: load, run, verification, and documents that somebody changed by hand."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.real.runs import DATA, LOAD, Runs
from tests.e2e.real.servers import DATABASE, PASSWORD_ENV, System

pytestmark = pytest.mark.real


def nothing() -> None:
    """Let the run go on."""


def test_a_run_ends_verified(runs: Runs) -> None:
    summary = runs.load(nothing)
    assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
    assert summary["fake"] is None
    runs.assert_nothing_wrong(summary)


def test_the_documents_written_alone_can_be_verified(runs: Runs) -> None:
    summary = runs.load(nothing, "-o", "execution.0.verification=written")
    assert summary["verification"]["verdict"] == "clean"
    assert summary["verification"]["mode"] == "written"


@pytest.fixture
def load_hosts(runs: Runs, tmp_path: Path) -> Iterator[str]:
    """Start two load hosts on this machine: checkouts of their own with the controller's key store."""
    code, output = runs.real.run("keys")
    assert code == 0, output
    addresses = ("127.0.0.21", "127.0.0.22")
    engines = []
    try:
        for address in addresses:
            host = RealCheckout(tmp_path / address / "checkout")
            shutil.copytree(runs.real.root / ".shardload" / "keys", host.root / ".shardload" / "keys")
            host.environment[PASSWORD_ENV] = runs.real.environment[PASSWORD_ENV]
            engines.append(host.start("generator", "--listen", address, "--heap", "256m"))
        for engine in engines:
            assert engine.stdout
            heard = ""
            while "listening on" not in heard:
                line = engine.stdout.readline()
                assert line, heard
                heard += line
        yield ",".join(addresses)
    finally:
        for engine in engines:
            engine.send_signal(signal.SIGINT)
            engine.wait()


def test_two_load_hosts_share_a_verified_run(runs: Runs, load_hosts: str) -> None:
    code, output = runs.real.run("run", "--target", "mine", *DATA, *LOAD, "--load-hosts", load_hosts)
    summary = runs.ended(code, output)
    shares = [each["share_percent"] for each in summary["generators"]]
    assert len(shares) == 2 and all(40 < share < 60 for share in shares), shares
    runs.assert_nothing_wrong(summary)


def change_by_hand(system: System) -> None:
    """Delete one document, alter one, and add one of nobody's."""
    if system.is_sql:
        # MariaDB before 11 changes no table that the statement also reads, unless it has read it before.
        one = "SELECT id, filter1 FROM data_table ORDER BY id, filter1 LIMIT 1 OFFSET {}"
        one = f"(id, filter1) = (SELECT * FROM ({one}) AS one)"
        system.sql.execute(
            "UPDATE data_table SET document = 'changed by hand' WHERE " + one.format(20),
            "INSERT INTO data_table SELECT id, concat(filter1, '-'), filter2, filter3, filter4, filter5, document,"
            " edition, created, updated FROM data_table ORDER BY id, filter1 LIMIT 1 OFFSET 10",
            "DELETE FROM data_table WHERE " + one.format(0),
        )
        return
    with system.mongo() as client:
        table = client[DATABASE]["data_table"]
        first, altered, copied = table.find().sort([("id", 1), ("filter1", 1)]).limit(3)
        key = {"id": altered["id"], "filter1": altered["filter1"]}
        assert table.update_one(key, {"$set": {"document": "changed by hand"}}).modified_count == 1
        del copied["_id"]
        table.insert_one({**copied, "filter1": copied["filter1"][:-1] + ("0" if copied["filter1"][-1] != "0" else "1")})
        assert table.delete_one({"id": first["id"], "filter1": first["filter1"]}).deleted_count == 1


def test_documents_changed_by_hand_are_found(runs: Runs) -> None:
    change_by_hand(runs.system)
    output = runs.call("verify", expected=4)
    assert "verification: wrong, 3 wrong of 5,000 documents" in output
    assert sorted(re.findall(r"^  (\w+): ", output, re.MULTILINE)) == ["corrupted", "foreign", "lost"]
