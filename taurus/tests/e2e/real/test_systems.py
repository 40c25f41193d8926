"""What holds on every system: load, run, verification, and documents that somebody changed by hand."""

from __future__ import annotations

import re

import pytest

from tests.e2e.real.runs import Runs
from tests.e2e.real.servers import DATABASE, System

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


def change_by_hand(system: System) -> None:
    """Delete one document, alter one, and add one of nobody's."""
    if system.is_sql:
        one = "(id, filter1) = (SELECT id, filter1 FROM data_table ORDER BY id, filter1 LIMIT 1 OFFSET {})"
        system.postgresql.execute(
            "UPDATE data_table SET document = 'changed by hand' WHERE " + one.format(20),
            "INSERT INTO data_table SELECT id, gen_random_uuid(), filter2, filter3, filter4, filter5, document,"
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
