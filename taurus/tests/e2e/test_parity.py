"""Parity with the real child and a real PostgreSQL."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import RealCheckout

pytestmark = pytest.mark.e2e
FEW = ("--calls", "20", "-o", "workload.data.documents=400", "-o", "workload.data.tenants=4")


def test_noop_keeps_nothing_to_compare(real: RealCheckout) -> None:
    code, output = real.run("parity", "--targets", "embedded-postgresql,noop", *FEW)
    assert code == 1, output
    assert "noop keeps no data" in output.splitlines()[-1]
    assert not (real.root / "runs").exists()


def test_one_database_under_two_names(real: RealCheckout) -> None:
    targets = real.root / "taurus" / "targets"
    (targets / "twin.yml").write_text((targets / "embedded-postgresql.yml").read_text())
    code, output = real.run("parity", "--targets", "embedded-postgresql,twin", *FEW)
    assert code == 1, output
    assert "is the database of target embedded-postgresql too" in output.splitlines()[-1]


@pytest.mark.parametrize("other", ["embedded-mongodb"])
def test_ten_of_ten_are_equal(real: RealCheckout, other: str) -> None:
    if not (real.root / "taurus" / "targets" / f"{other}.yml").exists():
        pytest.fail(f"target {other} is missing")
    code, output = real.run("parity", "--targets", f"embedded-postgresql,{other}", *FEW)
    assert code == 0, output
    assert f"10 of 10 equal: embedded-postgresql, {other}" in output
    told = json.loads((real.latest / "parity.json").read_text())
    assert [each["equal"] for each in told["transactions"]] == [True] * 10
