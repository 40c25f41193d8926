"""What a real server says of its plans reaches the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, RealCheckout
from tests.e2e.ferretdb import postgresql
from tests.e2e.test_real import assert_sound

pytestmark = pytest.mark.e2e
# One tenant owns everything: the indexes that begin with id help nobody.
ONE_TENANT = ("-o", "workload.data.documents=2000", "-o", "workload.data.tenants=1")
SHORT = ("-o", "execution.0.warm-up=1s", "-o", "execution.0.hold-for=2s")
FINDING = "no index narrows the search in data_table, so about 2000 rows are read per call: find-by-id-and-filter2-list"


def test_a_dropped_index_is_pointed_out(real: RealCheckout, tmp_path: Path) -> None:
    run = ("run", "--target", "mine", "--profile", "closed", *ONE_TENANT, *SHORT)
    with postgresql(ROOT / ".shardload", tmp_path) as server:
        real.target("mine", "postgresql", url=server.url, user=server.user, password_env="MINE_PASSWORD")
        code, output = real.run(*run, MINE_PASSWORD=server.password)
        assert "no index" not in output
        assert_sound(real, code, output)
        server.execute("DROP INDEX data_table_id_filter2")
        code, output = real.run(*run, MINE_PASSWORD=server.password)
    summary = assert_sound(real, code, output)
    assert [each for each in summary["findings"] if "no index" in each] == [FINDING]
    assert f"note      {FINDING}\n" in output
    assert FINDING in (real.latest / "report.html").read_text()
