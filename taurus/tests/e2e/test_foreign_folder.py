"""The launcher, called by a user who stands in a folder of their own, with files of their own, on a real PostgreSQL."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import TAURUS, open_to_others
from tests.e2e.conftest import ROOT, expect_built
from tests.e2e.ferretdb import Postgresql, postgresql
from tests.e2e.test_real import assert_code

pytestmark = [pytest.mark.e2e, pytest.mark.long]
PASSWORD_ENV = "SHARDLOAD_E2E_PASSWORD"
PROFILE = """\
x-calm: &calm
  throughput: 0.1k
  statement-timeout: 10s
execution:
- <<: *calm
  concurrency: 4
  warm-up: 1s
  hold-for: 4s
reporting:
- module: passfail
  criteria:
  - fail>1%, continue as failed
- module: final-stats
  dump-xml: {dump}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    expect_built()
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as made:
        yield made


class User:
    """Who stands in ``work`` with files around it; bundles go to a folder beside."""

    def __init__(self, folder: Path, database: Postgresql) -> None:
        self.folder = folder / "work"
        self.runs = folder / "bundles"
        for name in ("work", "my", "etc/profiles"):
            (folder / name).mkdir(parents=True)
        (folder / "my" / "cluster.yml").write_text(
            f"target:\n  driver: postgresql\n  url: {database.url}\n  user: {database.user}\n"
            f"  password-env: {PASSWORD_ENV}\n  options: {{connect-timeout: 2m}}\n"
        )
        shutil.copy(TAURUS / "workloads" / "document-store.yml", self.folder / "own.yml")
        (folder / "etc/profiles/calm.yml").write_text(PROFILE.format(dump=folder / "final.xml"))
        self.environment = {**os.environ, PASSWORD_ENV: database.password, "SHARDLOAD_PATH": "../etc", "COLUMNS": "200"}
        self.files = ["-t", "../my/cluster.yml", "-w", "./own.yml"]
        self.data = ["--documents", "2k", "-o", "workload.data.tenants=20"]

    def call(self, words: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    def run(self, *more: str) -> tuple[int, str]:
        words = [str(ROOT / "shardload"), "run", *self.files, "-p", "calm", "--runs", "../bundles", *self.data, *more]
        return self.call(words)


def test_from_a_dry_run_to_a_run_that_loads_nothing(tmp_path: Path, server: Postgresql) -> None:
    database = server.beside("elsewhere")
    user = User(tmp_path, database)
    code, output = user.run("--dry-run")
    assert code == 0, output
    assert "data     2,000 documents would be loaded: no data exists yet" in output
    assert "# calm.yml:2" in output and "# --documents" in output and database.password not in output
    assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"], "nothing is made"
    assert not user.runs.exists()

    code, output = user.run("--no-load")
    assert code == 1 and "shardload: --no-load: the data set does not exist" in output, output
    assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"], "nothing is made"
    (command,) = [line for line in output.splitlines() if " load --target " in line]
    code, output = user.call(shlex.split(command))
    assert code == 0 and "2,000 documents loaded" in output, output

    code, output = user.run("--dry-run")
    assert code == 0 and "nothing would be loaded: all 2,000 documents were loaded before" in output, output
    code, output = user.run("--no-load")
    assert_code(code, 0, output)
    (bundle,) = user.runs.iterdir()
    assert bundle.name.endswith("-cluster-calm")
    assert open_to_others(bundle) == []
    groups = [group.get("label") for group in ElementTree.parse(tmp_path / "final.xml").getroot().findall("Group")]
    assert "insert" in groups
    code, output = user.call([str(ROOT / "shardload"), "report", bundle.name, "--runs", str(user.runs)])
    assert_code(code, 0, output)
    assert str(bundle) in output, output
