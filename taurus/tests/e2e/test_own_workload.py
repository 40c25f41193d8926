"""Workloads from folders, whole: on a PostgreSQL and a FerretDB that run by themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import CLOSED as CLOSED_LOAD
from tests.e2e.conftest import ROOT, SHORT, RealCheckout, options
from tests.e2e.ferretdb import Postgresql, ferretdb, postgresql
from tests.e2e.test_real import assert_code, assert_sound

pytestmark = pytest.mark.e2e
PASSWORD_ENV = "SHARDLOAD_E2E_PASSWORD"
CLOSED = ["--profile", "closed", *options({**CLOSED_LOAD, "execution.0.hold-for": "3s"})]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as made:
        yield made


def on(real: RealCheckout, database: Postgresql) -> list[str]:
    """Return the target as a user would write it."""
    real.target("mine", "postgresql", url=database.url, user=database.user, password_env=PASSWORD_ENV)
    real.environment[PASSWORD_ENV] = database.password
    return ["--target", "mine"]


@pytest.mark.long
def test_a_shop_from_the_scaffold_is_loaded_used_and_checked(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("shop")
    shop = str(real.root / "shop")
    code, output = real.run("workload", "init", shop)
    assert code == 0, output
    target = on(real, database)
    code, output = real.run("workload", "check", shop, *target, "--preview", "2")
    assert code == 0 and "customer_id = " in output and "nothing wrong found" in output, output
    assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"], "nothing is made"
    small = ["-o", "workload.data.tables.customers.rows=1000"]
    for _ in range(2):
        code, output = real.run(
            "run", "--workload", shop, *target, *small, *options({**SHORT, "execution.0.throughput": "100"}),
            "-o", 'reporting.1.criteria=["fail>1%, continue as failed"]',
        )  # fmt: skip
        summary = assert_sound(real, code, output)
        assert summary["workload"] == "shop" and summary["ledger"]["failed"] == 0
        assert "4 checks clean; single documents were not verified" in output
    placed = int(database.execute("SELECT count(*) - 50000 FROM orders")[0])
    assert placed > 50, "both runs and their warm-ups placed orders"

    database.execute("DELETE FROM orders WHERE id = 17")
    before = len(list((real.root / "runs").iterdir()))
    code, output = real.run("run", "--workload", shop, *target, *small, *CLOSED)
    assert code == 4, output
    assert "check no-order-lost found wrong data before the run" in output and "nothing was started" in output
    assert len(list((real.root / "runs").iterdir())) == before
    code, output = real.run("verify", "--workload", shop, *target, *small)
    assert code == 4 and "no-order-lost (after the run): wrong" in output, output


def test_tpcb_balances_agree(real: RealCheckout, server: Postgresql) -> None:
    target = on(real, server.beside("tpcb"))
    few = ["-o", "workload.data.documents=20000"]
    code, output = real.run("run", "--workload", "tpcb", *target, *few, *CLOSED)
    summary = assert_sound(real, code, output)
    assert summary["verification"]["verdict"] == "clean" and summary["ledger"]["done"] > 100, output


def test_existing_data_is_read_and_written_with_consent_alone(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("existing")
    database.execute("CREATE TABLE t AS SELECT n AS id, 0 AS hits FROM generate_series(1, 1000) AS n")
    folder = Path(real.root / "own")
    (folder / "transactions" / "read").mkdir(parents=True)
    (folder / "transactions" / "hit").mkdir()
    (folder / "transactions" / "read" / "postgresql.sql").write_text("SELECT id FROM t WHERE id = :id")
    (folder / "transactions" / "hit" / "postgresql.sql").write_text("UPDATE t SET hits = hits + 1 WHERE id = :id")
    (folder / "workload.yml").write_text(
        "workload:\n  name: own\n  data: existing\n"
        "  parameters: {id: {type: integer, min: 1, max: 1000}}\n"
        "  transactions: {read: {rows: one, equal: {id: id}}, hit: {rows: one}}\n"
        "scenarios:\n  mix: {mix: {read: 90, hit: 10}}\n"
    )
    run = ["run", "--workload", str(folder), *on(real, database), *CLOSED]
    code, output = real.run(*run)
    assert code == 1 and "--allow-writes" in output and "Traceback" not in output, output
    assert database.execute("SELECT sum(hits) FROM t") == ["0"]
    code, output = real.run(*run, "--allow-writes")
    assert_sound(real, code, output)
    assert int(database.execute("SELECT sum(hits) FROM t")[0]) > 0
    names = database.execute("SELECT string_agg(tablename, ',') FROM pg_tables WHERE schemaname = 'public'")
    assert names == ["t"], "nothing is made beside the user's own table"


def test_an_option_of_the_schema_makes_other_data_and_one_of_statements_does_not(
    real: RealCheckout, server: Postgresql
) -> None:
    """Mutations: the value in no header; the option's file left out of the schema."""
    database = server.beside("options")
    folder = Path(real.root / "own")
    for place in ("schema/indexes=basic", "transactions/find"):
        (folder / place).mkdir(parents=True)
    (folder / "schema" / "postgresql.sql").write_text("CREATE TABLE posts (id bigint PRIMARY KEY, author text)")
    (folder / "schema" / "indexes=basic" / "postgresql.sql").write_text("CREATE INDEX by_author ON posts (author)")
    find = "SELECT id, author FROM posts WHERE author = :author LIMIT :limit"
    (folder / "transactions" / "find" / "postgresql.sql").write_text(find)
    (folder / "workload.yml").write_text(
        "workload:\n  name: own\n  options:\n"
        "    indexes: {values: [none, basic], default: basic}\n    limit: {values: [1, 10]}\n"
        "  data: {tables: {posts: {rows: 500, columns: {id: {type: sequential}, author: &author\n"
        "    {type: word, words: [ann, ben]}}}}}\n"
        "  parameters: {author: *author}\n"
        "  transactions: {find: {rows: 0..10, equal: {author: author}}}\n"
        "scenarios:\n  mix: {mix: {find: 100}}\n"
    )
    indexes = "SELECT count(*) FROM pg_indexes WHERE indexname = 'by_author'"
    run = ["run", "--workload", str(folder), *on(real, database), *CLOSED]
    code, output = real.run(*run)
    assert assert_sound(real, code, output)["options"] == {"indexes": "basic", "limit": 1}
    assert database.execute(indexes) == ["1"]
    code, output = real.run(*run, "-o", "workload.options.limit=10")
    assert assert_sound(real, code, output)["options"] == {"indexes": "basic", "limit": 10}, "the same data"
    assert json.loads((real.latest / "environment.json").read_text())["data"]["options"]["limit"] == 10
    code, output = real.run(*run, "-o", "workload.options.indexes=none")
    assert code == 1 and "was created with option indexes basic, not none;" in output, output
    assert "load --recreate" in output and database.execute(indexes) == ["1"]
    code, output = real.run(*run, "--vary", "workload.options.indexes=basic,none")
    assert_code(code, 0, output)
    lines = [line for line in output.splitlines() if line.startswith(("VARIED", "NOT COMPARABLE"))]
    assert lines == ["VARIED  options: the workload's own options differ: A indexes basic; B indexes none"], output
    assert database.execute(indexes) == ["0"], "each side loads its own data"


BANK = {
    "schema/postgresql.sql": "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);\n"
    "CREATE TABLE transfers (id bigint PRIMARY KEY, amount bigint NOT NULL);",
    "transactions/transfer/postgresql.sql": "INSERT INTO transfers VALUES (:id, :amount);\n"
    "UPDATE accounts SET balance = balance - :amount WHERE id = :source AND balance >= :amount;\n"
    "UPDATE accounts SET balance = balance + :amount WHERE id = :sink",
    "transactions/withdraw/postgresql.sql": "UPDATE accounts SET balance = balance - 1\n"
    "WHERE id = :source AND balance > 8",
    "checks/rows/postgresql.sql": "SELECT count(*) * 3 AS n FROM transfers;\nSELECT :rows_transfer AS n",
    "checks/sum/postgresql.sql": "SELECT sum(balance) AS n FROM accounts;\n"
    "SELECT 20 * :loaded_accounts - :done_withdraw AS n",
    "checks/refusals/postgresql.sql": "SELECT 1 WHERE :refused_transfer = 0 OR :refused_withdraw = 0",
    "workload.yml": """
workload:
  name: bank
  data:
    tables:
      accounts: {rows: 20, columns: {id: {type: sequential}, balance: {type: integer, min: 20, max: 20}}}
      transfers: {rows: 0, columns: {id: {type: sequential}, amount: {type: integer, max: 9}}}
  parameters:
    id: {type: sequential, table: transfers, column: id}
    source: {type: reference, table: accounts, column: id}
    sink: {type: reference, table: accounts, column: id, not: source}
    amount: {type: integer, min: 1, max: 9}
  transactions:
    transfer:
      isolation: read-committed
      retries: {times: 5, wait: 1ms..5ms}
      unknown: repeat
      steps: [{rows: one}, {rows: one, otherwise: refuse}, {rows: one}]
    withdraw: {rows: one, otherwise: refuse}
  checks: {refusals: {when: after}}
scenarios:
  mix: {mix: {transfer: 80, withdraw: 20}}
""",
}


def test_a_bank_refuses_what_it_cannot_pay(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("bank")
    bank = real.root / "bank"
    for name, text in BANK.items():
        (bank / name).parent.mkdir(parents=True, exist_ok=True)
        (bank / name).write_text(text)
    mine = ["--workload", str(bank), *on(real, database)]
    limit = 'reporting.1.criteria=["refused of transfer>99%, continue as failed", "refused<1, continue as failed"]'
    refused = 0
    for _ in range(2):
        code, output = real.run("run", *mine, *CLOSED, "-o", limit)
        summary = assert_sound(real, code, output)
        ledger = summary["ledger"]
        # A deadlock at the end of the run is not tried again.
        assert ledger["refused"] > 10 and ledger["failed"] < 20 and ledger["unknown"] == 0, output
        assert f"+ {ledger['refused']:,} refused +" in output and "5 checks clean" in output, output
        transfer = summary["transactions"]["transfer"]
        assert transfer["refused_ns"]["count"] == transfer["ledger"]["refused"] > 0
        assert transfer["service_ns"]["count"] == transfer["ledger"]["done"] > 0
        refused += sum(summary[key]["refused"] for key in ("ledger", "warmup_ledger"))
    assert database.execute("SELECT min(balance) >= 0 FROM accounts") == ["t"]
    assert refused > 20

    database.execute("UPDATE accounts SET balance = balance + 1 WHERE id = 17")
    code, output = real.run("verify", *mine)
    assert code == 4 and "sum (after the run): wrong" in output, output


@pytest.mark.long
def test_blog_in_both_models_with_all_indexes(real: RealCheckout, server: Postgresql) -> None:
    target = on(real, server.beside("blog"))
    few = ["-o", "workload.data.documents=2000", "-o", "workload.options.indexes=text"]
    arguments = ["run", "--workload", "blog", *target, *few, *CLOSED]
    code, output = real.run(*arguments, "--vary", "workload.options.model=jsonb,columns")
    assert_code(code, 0, output)
    assert "NOT COMPARABLE" not in output, output
    code, output = real.run(*arguments, "-o", "workload.options.model=columns", "-o", "execution.0.scenario=text")
    summary = assert_sound(real, code, output)
    assert summary["verification"]["verdict"] == "clean" and summary["ledger"]["done"] > 0, output


@pytest.mark.long
def test_ycsb_on_ferretdb(real: RealCheckout, tmp_path_factory: pytest.TempPathFactory) -> None:
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("my-ferretdb", "ferretdb", url=url + "ycsb", user=None, password_env=None)
        light = ["-o", "execution.0.concurrency=2", "-o", "execution.0.statement-timeout=5s"]
        few = ["-o", "workload.data.documents=1000", "-o", "execution.0.scenario=workload-a"]
        arguments = ["run", "--target", "my-ferretdb", "--workload", "ycsb", *CLOSED, *light, *few]
        code, output = real.run(*arguments)
        summary = assert_sound(real, code, output)
        assert_code(code, 0, output)
        assert summary["ledger"]["done"] > 0 and summary["ledger"]["failed"] == 0
        assert "checks clean; single documents were not verified" in output
        run = json.loads((real.latest / "run.json").read_text())
        assert len(run["workload"]["hash"]) == 64
        real.target("my-ferretdb", "ferretdb", url=url + "blog", user=None, password_env=None)
        arguments = ["run", "--target", "my-ferretdb", "--workload", "blog", "--documents", "100", *CLOSED, *light]
        code, output = real.run(*arguments, "-o", "workload.options.indexes=text")
        assert code == 1 and "can't find index with key" in output, output
        code, output = real.run(*arguments)
        assert_code(code, 0, output)
        assert assert_sound(real, code, output)["options"] == {"model": "document", "indexes": "basic", "limit": 10}
