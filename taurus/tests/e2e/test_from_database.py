"""``workload init --from-database`` on a real PostgreSQL: the folder is checked, loaded and run as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, SHORT, RealCheckout, options
from tests.e2e.ferretdb import postgresql
from tests.e2e.test_real import assert_sound

pytestmark = pytest.mark.e2e
PASSWORD_ENV = "SHARDLOAD_E2E_PASSWORD"
TABLES = """
CREATE SCHEMA sales;
CREATE TYPE sales.state AS ENUM ('Drafted', 'Delivered');
CREATE TABLE sales.country (code char(2) PRIMARY KEY, title text NOT NULL UNIQUE);
CREATE TABLE sales.tenant (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), country char(2) REFERENCES sales.country,
  settings jsonb NOT NULL DEFAULT '{"theme": "Midnight"}', rating numeric(3, 2) CHECK (rating < 5));
CREATE TABLE sales."order" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant uuid NOT NULL
  REFERENCES sales.tenant, state sales.state NOT NULL, placed timestamptz NOT NULL, "Note" text, tags text[],
  follows bigint REFERENCES sales."order", twice int GENERATED ALWAYS AS (2) STORED);
CREATE TABLE sales.line (order_id bigint REFERENCES sales."order", no smallint, label varchar(30) NOT NULL,
  price numeric, span interval, PRIMARY KEY (order_id, no));
CREATE TABLE public.person (id serial PRIMARY KEY, name varchar(40), born date, active boolean,
  boss int REFERENCES person);
CREATE TABLE public.event (at timestamptz, kind text) PARTITION BY RANGE (at);
CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE INDEX ON sales."order" USING gin (tags);
CREATE INDEX ON sales.line (lower(label)) WHERE label <> 'Purple lamp';
INSERT INTO sales.country SELECT 'A' || chr(65 + n), 'Republic ' || n FROM generate_series(0, 19) AS n;
INSERT INTO sales.tenant (country, rating) SELECT 'A' || chr(65 + n % 20), n % 5 FROM generate_series(1, 500) AS n;
INSERT INTO sales."order" (tenant, state, placed, "Note", tags) SELECT id, 'Drafted', '2025-03-01Z',
  'Please ring ' || id, ARRAY['wooden', 'shiny'] FROM sales.tenant, generate_series(1, 4);
INSERT INTO sales.line SELECT id, n, 'Purple lamp', n, '1 day' FROM sales."order", generate_series(1, 3) AS n;
INSERT INTO person (name, born, active) SELECT 'Margaret ' || n, '1960-01-01', true FROM generate_series(1, 2000) AS n;
INSERT INTO event SELECT '2025-02-01Z', 'Login happened' FROM generate_series(1, 100);
ANALYZE
"""
TEXTS = """
SELECT DISTINCT value #>> '{{}}' FROM {} AS t, jsonb_path_query(to_jsonb(t), '$.** ? (@.type() == "string")') AS value
"""


def test_a_folder_of_existing_tables_runs_and_has_none_of_their_texts(real: RealCheckout, tmp_path: Path) -> None:
    """Mutation: write the labels of enums as they are."""
    folder = str(real.root / "copy")
    (tmp_path / "server").mkdir()
    with postgresql(ROOT / ".shardload", tmp_path / "server") as server:
        source = server.beside("source")
        source.execute(TABLES)
        real.environment[PASSWORD_ENV] = source.password
        asked = ["--from-database", source.url, "--user", source.user, "-o", f"target.password-env={PASSWORD_ENV}"]
        code, output = real.run("workload", "init", folder, *asked)
        assert code == 0 and "6 tables" in output and "every row of person is verified" in output, output

        whole = "\n".join(path.read_text() for path in Path(folder).rglob("*") if path.is_file())
        tables = ("sales.country", "sales.tenant", 'sales."order"', "sales.line", "person", "event")
        texts = {text for table in tables for text in source.execute(TEXTS.format(table))}
        assert {"Drafted", "Midnight", "wooden", "Purple lamp", "Margaret 7"} < texts
        # Bounds of ranges are numbers and dates; a code of two letters is in many words.
        words = {text for text in texts if len(text) > 2 and not text[0].isdigit()}
        assert [text for text in words if text in whole] == []

        copy = server.beside("copy")
        real.target("mine", "postgresql", url=copy.url, user=copy.user, password_env=PASSWORD_ENV)
        code, output = real.run("workload", "check", folder, "--target", "mine")
        assert code == 0, output
        load = {**SHORT, "execution.0.throughput": "100", "reporting.1.criteria": '["fail>0%, continue as failed"]'}
        code, output = real.run("run", "--workload", folder, "--target", "mine", *options(load))
        summary = assert_sound(real, code, output)
        assert summary["ledger"]["failed"] == 0 and summary["ledger"]["done"] > 100, output
        assert summary["verification"]["verdict"] == "clean"
