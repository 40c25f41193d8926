"""What a MariaDB must have in common with PostgreSQL, and a row of a workload folder that somebody deleted."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.real.servers import MARIADB
from tests.e2e.test_entity import lines_of
from tests.e2e.test_mariadb import SHORT
from tests.e2e.test_real import assert_code

pytestmark = pytest.mark.real
BANK = ("--target", "mine", "--workload", "bank")


def test_a_transfer_that_somebody_deleted_is_lost(real: RealCheckout) -> None:
    MARIADB.write_target(real)
    code, output = real.run("load", *BANK, "--recreate")
    assert_code(code, 0, output)
    code, output = real.run("run", *BANK, *SHORT)
    assert " 0 wrong" in output, output
    (lost,) = MARIADB.sql.execute(
        "SELECT min(id) FROM transfers",
        "DELETE FROM transfers WHERE id IN (SELECT * FROM (SELECT min(id) FROM transfers) a)",
    )
    code, output = real.run("verify", *BANK)
    assert_code(code, 4, output)
    assert f"lost: id {lost}, last known at edition 0" in lines_of(output)


def test_its_answers_are_those_of_postgresql(real: RealCheckout) -> None:
    MARIADB.write_target(real)
    code, output = real.run(
        "parity", "--targets", "embedded-postgresql,mine", "--calls", "20", "-o", "workload.data.documents=500"
    )
    assert_code(code, 0, output)
    assert "10 of 10 equal: embedded-postgresql, mine" in output
