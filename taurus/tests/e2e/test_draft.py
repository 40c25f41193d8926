"""The built-in workload as a folder, a draft: the check executes each transaction, and it makes the same tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import ferretdb, postgresql
from tests.e2e.test_entity import SHORT, lines_of
from tests.e2e.test_own_workload import on
from tests.e2e.test_real import assert_code, assert_sound

pytestmark = pytest.mark.e2e
DRAFT = str(Path(__file__).parent / "document-store")
FINE = "document-store-draft: nothing wrong found"
ROWS = (
    "SELECT count(*) || ' ' || md5(string_agg(concat_ws('|', id, filter1, filter2, filter3, filter4, filter5, document,"
    " edition), ',' ORDER BY filter1)) FROM data_table"
)
COLUMNS = (
    "SELECT concat_ws('|', attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcompression,"
    " pg_get_expr(adbin, adrelid)) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE attrelid = 'data_table'::regclass AND attnum > 0 ORDER BY attnum"
)
INDEXES = "SELECT indexdef FROM pg_indexes WHERE tablename = 'data_table' ORDER BY 1"


def test_the_table_is_that_of_the_built_in_workload(
    real: RealCheckout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The folder passes the check, and makes the same rows, columns and indexes; a run of it is verified."""
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as server:
        ours, theirs = server.beside("folder"), server.beside("built_in")
        target = on(real, ours)
        code, output = real.run("workload", "check", DRAFT, *target)
        assert code == 0 and lines_of(output)[-1].startswith(FINE)
        chosen = ("tenants=50", "document_size=900", "rows_per_find=4", "index=btree", "storage=toast-uncompressed")
        own = [word for one in chosen for word in ("-o", f"workload.options.{one}")]
        code, output = real.run(
            "run", "--workload", DRAFT, *target, "--documents", "700", *own, "--profile", "closed", *SHORT
        )
        assert_sound(real, code, output)
        assert_code(code, 0, output)
        code, output = real.run("load", "--recreate", "--workload", DRAFT, *target, "--documents", "700", *own)
        assert_code(code, 0, output)

        data = ("data.documents=700", "data.tenants=50", "data.document-size=900B", "data.rows-per-find=4")
        built_in = [word for one in data for word in ("-o", f"workload.{one}")]
        built_in += ["-o", "schema.index=btree", "-o", "schema.document-storage=toast-uncompressed"]
        code, output = real.run("load", *on(real, theirs), *built_in)
        assert_code(code, 0, output)
        for query in (ROWS, COLUMNS, INDEXES):
            assert ours.execute(query) == theirs.execute(query)
        assert ours.execute(ROWS)[0].startswith("700 ")


def test_the_folder_passes_the_check_on_documents(real: RealCheckout, tmp_path_factory: pytest.TempPathFactory) -> None:
    code, output = real.run("workload", "check", DRAFT, "--target", "embedded-mongodb")
    assert code == 0 and lines_of(output)[-1].startswith(FINE)
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("mine", "ferretdb", url=url + "draft", user=None, password_env=None)
        options = ("--target", "mine", "-o", "workload.options.index=ascending")
        code, output = real.run("workload", "check", DRAFT, *options)
        assert code == 0 and lines_of(output)[-1].startswith(FINE)
