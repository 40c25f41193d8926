"""Vehicle tests with their defects: the same facts as rows of two tables and as documents; each one is read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymongo
import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import Postgresql, ferretdb, postgresql
from tests.e2e.test_entity import LIGHT, SHORT, lines_of
from tests.e2e.test_own_workload import on
from tests.e2e.test_real import assert_code, assert_sound

pytestmark = pytest.mark.e2e
# The tables of texts keep their rows, so that all models have the same facts.
FEW = ["-o", "workload.data.tables.vehicle.rows=250"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as made:
        yield made


def wrong(real: RealCheckout, *arguments: str) -> list[str]:
    code, output = real.run("verify", "--workload", "vehicle-test", *arguments)
    assert_code(code, 4, output)
    return sorted(lines_of(output)[2:])


def test_each_defect_is_read_back_with_its_test(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("vehicles")
    target = [*on(real, database), *FEW]
    code, output = real.run("run", "--workload", "vehicle-test", *target, "--profile", "closed", *SHORT)
    summary = assert_sound(real, code, output)
    assert_code(code, 0, output)
    ledger = summary["ledger"]
    assert ledger["done"] == ledger["started"]
    counts = "SELECT count(*) FROM testresult", "SELECT count(*) FROM testitem"
    tests, items = map(int, database.execute(*counts))
    assert summary["verification"]["walked"] == tests
    assert tests > 1000 and items > 2000, "the load made 4 tests of each vehicle and 2.5 defects of each test"

    several = "SELECT testid FROM testitem GROUP BY 1 HAVING count(*) > 1"
    pick = f"SELECT min(itemid) FROM testitem WHERE testid > {{}} AND testid IN ({several})"
    lost, moved, changed, twice = (int(database.execute(pick.format(least))[0]) for least in (10, 20, 30, 40))
    bare = int(database.execute("SELECT min(testid) FROM testresult WHERE testid > 50")[0])
    chosen = f"SELECT itemid, testid FROM testitem WHERE itemid IN ({lost}, {moved}, {changed}, {twice})"
    of: dict[int, int] = {}
    for row in database.execute(f"SELECT itemid || ' ' || testid FROM ({chosen}) AS chosen"):
        item, test = map(int, row.split())
        of[item] = test
    database.execute(
        "ALTER TABLE testitem DROP CONSTRAINT testitem_pkey",
        f"DELETE FROM testitem WHERE itemid = {lost}",
        f"UPDATE testitem SET testid = {of[lost]} WHERE itemid = {moved}",
        f"UPDATE testitem SET kind = upper(kind) WHERE itemid = {changed}",
        f"INSERT INTO testitem SELECT * FROM testitem WHERE itemid = {twice}",
        f"DELETE FROM testresult WHERE testid = {bare}",
        "DELETE FROM vehicle WHERE vehicleid = 250",
        "INSERT INTO testitem SELECT -5, testid, rfrid, locationid, kind, dangerous FROM testitem LIMIT 1",
    )
    (edition,) = {line.rsplit(" ", 1)[-1] for line in wrong(real, *target) if line.startswith(f"lost: testid {bare}")}
    assert wrong(real, *target) == sorted(
        [
            f"lost: testid {of[lost]}, testitem with itemid {lost} is missing",
            f"corrupted: testid {of[moved]}, testid of testitem with itemid {moved} differs",
            f"corrupted: testid {of[changed]}, kind of testitem with itemid {changed} differs",
            f"doubled: testid {of[twice]}, testitem with itemid {twice} is there more than once",
            f"lost: testid {bare}, last known at edition {edition}",
            "foreign: testitem with itemid -5",
            "vehicles-stay (after the run): wrong: returned 1 row instead of none, such as n=249 (loaded_vehicle=250)",
        ]
    )


def test_the_check_names_a_child_that_an_insert_leaves_wrong(real: RealCheckout, server: Postgresql) -> None:
    """One call shows it: a defect with a kind that none has, and one with the number of another test's."""
    target = on(real, server.beside("rehearsed_vehicles"))
    folder = real.root / "taurus" / "workloads" / "vehicle-test" / "transactions" / "insert-test" / "postgresql.sql"
    text = folder.read_text()
    try:
        folder.write_text(text.replace(":testitem.kind,", "'none',"))
        code, output = real.run("workload", "check", "vehicle-test", *target)
        assert code == 1
        assert "column kind of testitem with itemid " in output
        folder.write_text(text.replace("(:testitem.itemid,", "(:testitem.itemid + 1000000,"))
        code, output = real.run("workload", "check", "vehicle-test", *target)
        assert code == 1
        assert "column testid of testitem with itemid 10" in output
    finally:
        folder.write_text(text)


def test_the_same_facts_are_in_documents(
    real: RealCheckout, server: Postgresql, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each list of a document holds the rows of the child table; somebody moves a defect from one test to another."""
    database = server.beside("facts")
    sql = [*on(real, database), *FEW]
    code, output = real.run("load", "--workload", "vehicle-test", *sql)
    assert_code(code, 0, output)
    rows: dict[int, list[str]] = {}
    for row in database.execute(
        "SELECT testid || ' ' || itemid || ' ' || rfrid || ' ' || kind FROM testitem ORDER BY itemid"
    ):
        test, item = row.split(" ", 1)
        rows.setdefault(int(test), []).append(item)
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("mine", "ferretdb", url=url + "vehicles", user=None, password_env=None)
        target = ["--target", "mine", *LIGHT, *FEW]
        code, output = real.run("run", "--workload", "vehicle-test", *target, "--profile", "closed", *SHORT)
        summary = assert_sound(real, code, output)
        assert_code(code, 0, output)
        assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            tests = client["vehicles"]["testresult"]
            assert summary["verification"]["walked"] == tests.count_documents({})
            for one in tests.find({"testid": {"$lte": 100}}):
                listed = [f"{item['itemid']} {item['rfrid']} {item['kind']}" for item in one["items"]]
                assert listed == rows.get(one["testid"], [])
                assert all(item["rfrdesc"] and item["side"] for item in one["items"])
            giver, taker = [each for each in tests.find().sort("testid").limit(60) if each["items"]][:2]
            tests.update_one({"_id": giver["_id"]}, {"$pop": {"items": 1}})
            tests.update_one({"_id": taker["_id"]}, {"$push": {"items": giver["items"][-1]}})
        assert wrong(real, *target) == sorted(
            f"corrupted: testid {each['testid']}, items differs at edition {each['edition']}" for each in (giver, taker)
        )


def test_orders_keep_their_lines_and_the_stock(real: RealCheckout, server: Postgresql) -> None:
    """No deadlock, as all lock articles in one order; a line goes to another order, and what nobody ordered is sold."""
    database = server.beside("orders")
    target = [*on(real, database), "-o", "workload.data.tables.customers.rows=100"]
    code, output = real.run("run", "--workload", "order-entry", *target, "--profile", "closed", *SHORT)
    summary = assert_sound(real, code, output)
    assert_code(code, 0, output)
    ledger = summary["ledger"]
    assert ledger["done"] + ledger["missing"] + ledger["refused"] == ledger["started"], (
        "stock-level misses where no article is low"
    )
    assert "12 checks clean" in output
    (deadlocks,) = database.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert deadlocks == "0"

    orders = "SELECT id FROM orders WHERE id > 1000 ORDER BY id LIMIT 3"
    giver, taker, half = map(int, database.execute(orders))
    line = int(database.execute(f"SELECT min(id) FROM order_lines WHERE order_id = {giver}")[0])
    rest = sorted(map(int, database.execute(f"SELECT id FROM order_lines WHERE order_id = {half} AND line > 3")))
    database.execute(
        f"UPDATE order_lines SET order_id = {taker} WHERE id = {line}",
        f"DELETE FROM order_lines WHERE order_id = {half} AND line > 3",
        "UPDATE stock SET sold = sold + 1, quantity = quantity - 1 WHERE article = 7",
        "DELETE FROM stock WHERE sold = 0 AND article = (SELECT max(article) FROM stock WHERE sold = 0)",
        "DELETE FROM customers WHERE customer = 100",
        "UPDATE customers SET paid = paid + 1000000000 WHERE customer = 99",
    )
    code, output = real.run("verify", "--workload", "order-entry", *target)
    assert_code(code, 4, output)
    found = lines_of(output)
    assert sorted(each for each in found if each.startswith(("lost", "corrupted"))) == sorted(
        [
            f"corrupted: id {giver}, order_id of order_lines with id {line} differs",
            *(f"lost: id {half}, order_lines with id {each} is missing" for each in rest),
        ]
    )
    assert {each.split(" (after", 1)[0] for each in found if " (after the run)" in each} == {
        "sold-is-ordered",
        "articles-stay",
        "customers-stay",
        "payments-balance",
        "paid-fits-payments",
    }
