"""A workload from a folder on three load hosts: new rows once, one sum for the checks, the same folder everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.hosts_cluster import Cluster
from tests.e2e.hosts_judges import assert_ledgers_close, assert_sound, assert_sum_is_merged

pytestmark = [pytest.mark.e2e, pytest.mark.long]
TPCB = Path("taurus/workloads/tpcb")
CHANGES = {"workload.data.documents": "5000", "workload.data.tenants": None}


def test_hosts_share_a_folder_and_refuse_another(cluster: Cluster) -> None:
    cluster.database.execute("CREATE DATABASE bank")
    cluster.target("bank", "postgresql", **{**cluster.database.as_target(), "url": bank_url(cluster)})
    changed = cluster.hosts[1].folder / TPCB / "transactions" / "select-only" / "postgresql.sql"
    text = changed.read_text()
    changed.write_text(text + "\n-- another comment")
    refused = cluster.run("bank-hosts", "--workload", "tpcb", changes=CHANGES)
    assert refused.code == 1, refused.output
    assert cluster.hosts[1].address in refused.output and "folder" in refused.output, refused.output

    changed.write_text(text)
    run = cluster.run("bank-hosts", "--workload", "tpcb", changes=CHANGES)
    summary = assert_sound(run)
    assert_ledgers_close(run.bundle, len(cluster.hosts))
    assert_sum_is_merged(run.bundle, len(cluster.hosts))
    # history-is-complete compares the table with what all three hosts have counted, warm-up included.
    assert summary["verification"]["verdict"] == "clean", run.output
    assert summary["ledger"]["done"] > 500 and summary["ledger"]["failed"] == 0
    assert {each["ledger"]["done"] > 100 for each in summary["generators"]} == {True}


def bank_url(cluster: Cluster) -> str:
    """Return the address of the database that the test has made."""
    return cluster.database.url.rpartition("/")[0] + "/bank"
