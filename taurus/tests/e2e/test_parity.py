"""Parity through the launcher: a real PostgreSQL, a real FerretDB, and the fake of MongoDB."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import Postgresql, ferretdb, postgresql

pytestmark = pytest.mark.e2e
FEW = ("--calls", "20", "-o", "workload.data.documents=200", "-o", "workload.data.tenants=4")
BUILT = ROOT / ".shardload"


def told(real: RealCheckout) -> dict:
    return json.loads((real.latest / "parity.json").read_text())


@pytest.mark.parametrize(
    ("other", "line"),
    [("noop", "noop keeps no data"), ("twin", "is also the database of target embedded-postgresql")],
)
def test_what_cannot_be_compared(real: RealCheckout, other: str, line: str) -> None:
    real.target("twin", "embedded-postgresql")
    code, output = real.run("parity", "--targets", f"embedded-postgresql,{other}", *FEW)
    assert code == 1, output
    assert line in output.splitlines()[-1]
    assert not (real.root / "runs").exists()


def test_all_transactions_are_equal_on_all_three(real: RealCheckout, tmp_path: Path) -> None:
    with ferretdb(BUILT, tmp_path / "servers") as url:
        real.target("my-ferretdb", "ferretdb", url=url + "shardload", user=None, password_env=None)
        code, output = real.run("parity", "--targets", "embedded-postgresql,my-ferretdb,embedded-mongodb", *FEW)
    assert code == 0, output
    assert "my-ferretdb: FerretDB 1.24.0" in output
    found = re.search(r"^(\d+) of \1 equal: embedded-postgresql, my-ferretdb, embedded-mongodb$", output, re.MULTILINE)
    assert found and len(told(real)["transactions"]) == int(found[1])
    assert all(each["equal"] is True for each in told(real)["transactions"])
    assert all(each["calls"] >= 20 for each in told(real)["transactions"])


FOLDER = ("--calls", "12", "-o", "workload.data.documents=300")
SIDES = ("--targets", "embedded-postgresql,my-ferretdb")


def of_folder(real: RealCheckout, workload: str | Path) -> tuple[int, str]:
    return real.run("parity", *SIDES, "--workload", str(workload), *FOLDER)


def test_a_folder_has_the_same_answers_in_tables_and_in_documents_until_somebody_alters_it(
    real: RealCheckout, tmp_path: Path
) -> None:
    wrong = tmp_path / "vehicle-test"
    shutil.copytree(ROOT / "taurus" / "workloads" / "vehicle-test", wrong)
    oldest = wrong / "transactions" / "read-newest" / "mongodb.json"
    oldest.write_text(oldest.read_text().replace('"tested_at": -1', '"tested_at": 1'))
    # Right where there is one row, as in the tables of a check.
    other = wrong / "transactions" / "correct-mileage" / "mongodb.json"
    key = '{"$param": "testresult.testid"}'
    other.write_text(other.read_text().replace(key, f'{{"$lte": {key}}}', 1))
    with ferretdb(BUILT, tmp_path / "servers") as url:
        real.target("my-ferretdb", "ferretdb", url=url + "shardload", user=None, password_env=None)
        right_code, right = of_folder(real, "vehicle-test")
        code, output = of_folder(real, wrong)
    assert right_code == 0, right
    assert "3 of 3 equal: embedded-postgresql, my-ferretdb" in right
    assert code == 4, output
    found = {each["name"]: each for each in told(real)["transactions"]}
    newest = found["read-newest"]["difference"]
    assert newest["arguments"].startswith("{vehicle=")
    assert all("testid=" in side for side in newest["sides"].values())
    mileage = found["correct-mileage"]["difference"]
    assert mileage["where"] == "state after 12 calls"
    assert re.fullmatch(r"testid \d+ is (edition \d|wrong: mileage)", mileage["sides"]["my-ferretdb"])
    assert re.fullmatch(r"\d+ rows", mileage["sides"]["embedded-postgresql"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("workload", "equal"),
    [("ycsb", "5 of 5"), ("blog", "9 of 9"), ("bank", "2 of 2")],
)
def test_the_shipped_folders_are_equal(real: RealCheckout, tmp_path: Path, workload: str, equal: str) -> None:
    with ferretdb(BUILT, tmp_path / "servers") as url:
        real.target("my-ferretdb", "ferretdb", url=url + "shardload", user=None, password_env=None)
        code, output = of_folder(real, workload)
    assert code == 0, output
    assert f"{equal} equal: embedded-postgresql, my-ferretdb" in output


# Makes each table of a parity take its time, while the schema that it belongs to is there already.
SLOW_TABLES = (
    """CREATE FUNCTION take_time() RETURNS event_trigger LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_sleep(8); END'""",
    """CREATE EVENT TRIGGER taking_time ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
       EXECUTE FUNCTION take_time()""",
)
LEFT_BEHIND = """SELECT nspname FROM pg_namespace WHERE nspname LIKE '%shardload%' UNION ALL
                 SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"""


def wait_until_there(server: Postgresql) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "shardload_scratch" not in server.execute(LEFT_BEHIND):
        assert time.monotonic() < deadline, "no scratch tables were made"


@pytest.mark.long
@pytest.mark.parametrize(
    ("when", "number"), [("while tables are made", signal.SIGTERM), ("while calls are compared", signal.SIGINT)]
)
def test_an_interrupted_parity_leaves_no_scratch_tables(
    real: RealCheckout, tmp_path: Path, when: str, number: signal.Signals
) -> None:
    with postgresql(BUILT, tmp_path) as left:
        right = left.beside("other")
        if when == "while tables are made":
            right.execute(*SLOW_TABLES)
        for name, server in (("left", left), ("right", right)):
            real.target(name, "postgresql", url=server.url, user=server.user, password_env="THE_PASSWORD")
        arguments = ("parity", "-t", "left,right", "--calls", "1000000", "-o", "workload.data.documents=2000")
        process = real.start(*arguments, THE_PASSWORD=left.password)
        if when == "while tables are made":
            wait_until_there(right)
        else:
            told_loads = (line for line in process.stdout if line.startswith("load right"))
            assert next(told_loads)
        process.send_signal(number)
        output, _ = process.communicate(timeout=real.patience_seconds)
        assert process.returncode == 2, output
        assert output.splitlines()[-1] == "parity was interrupted"
        assert left.execute(LEFT_BEHIND) == []
        assert right.execute(LEFT_BEHIND) == []
    assert not (real.root / "runs").exists()
