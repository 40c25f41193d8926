"""The workload document-store in a real PostgreSQL: its table, and each transaction; on documents, each transaction."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import ferretdb, postgresql
from tests.e2e.test_entity import SHORT, lines_of
from tests.e2e.test_own_workload import on
from tests.e2e.test_real import assert_code, assert_sound

pytestmark = pytest.mark.e2e
CHECK = ("workload", "check", "document-store")
FINE = "document-store: nothing wrong found"
ROWS = (
    "SELECT count(*) || ' ' || md5(string_agg(concat_ws('|', id, filter1, filter2, filter3, filter4, filter5, document,"
    " edition), ',' ORDER BY filter1)) FROM data_table"
)
COLUMNS = (
    "SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,"
    " attstorage, pg_get_expr(adbin, adrelid)) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid"
    " AND adnum = attnum WHERE attrelid = 'data_table'::regclass AND attnum > 0 ORDER BY attnum"
)
INDEXES = (
    "SELECT split_part(indexdef, ' ON public.', 2) FROM pg_indexes WHERE tablename = 'data_table' ORDER BY indexname"
)


def test_the_table_has_these_rows_columns_and_indexes(
    real: RealCheckout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Bundles and data sets of other installations have the same: their seeds would mean other data."""
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as server:
        target = on(real, server)
        code, output = real.run(*CHECK, *target)
        assert code == 0 and lines_of(output)[-1].startswith(FINE), output
        data = ("documents=700", "tenants=50", "document-size=900B", "rows-per-find=4")
        chosen = [word for one in data for word in ("-o", f"workload.data.{one}")]
        chosen += ["-o", "schema.index=btree", "-o", "schema.document-storage=toast-uncompressed"]
        code, output = real.run("run", *target, *chosen, "--profile", "closed", *SHORT)
        assert_sound(real, code, output)
        assert_code(code, 0, output)
        code, output = real.run("load", "--recreate", *target, *chosen)
        assert code == 0 and "700 documents loaded in" in output, output
        assert server.execute(ROWS) == ["700 3cc0292111ef32a063840be05b8b0c45"]
        assert server.execute(COLUMNS) == [
            "id uuid not null p",
            "filter1 character varying(128) not null x",
            "filter2 character varying(128) x",
            "filter3 bigint p",
            "filter4 character varying(256) x",
            "filter5 character varying(256) x",
            "document text e",
            "edition integer p",
            "created timestamp without time zone not null p now()",
            "updated timestamp without time zone not null p now()",
        ]
        assert server.execute(INDEXES) == [
            "data_table USING btree (filter1)",
            "data_table USING btree (filter4)",
            "data_table USING btree (filter5)",
            "data_table USING btree (id, filter2)",
            "data_table USING btree (id, filter3)",
            "data_table USING btree (id, filter1)",
        ]


def test_the_transactions_pass_the_check_on_documents(
    real: RealCheckout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    code, output = real.run(*CHECK, "--target", "embedded-mongodb")
    assert code == 0 and lines_of(output)[-1].startswith(FINE), output
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("mine", "ferretdb", url=url + "documents", user=None, password_env=None)
        code, output = real.run(*CHECK, "--target", "mine")
        assert code == 0 and lines_of(output)[-1].startswith(FINE), output
