"""The README's two commands in a fresh copy of the checkout, as shipped: nothing is built, nothing is made smaller."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT
from tests.e2e.test_real import assert_closed, assert_code

pytestmark = pytest.mark.long
# The set-up fetches what Maven and pip have not kept; load, run and verification take two minutes more.
PATIENCE_SECONDS = 1800
# The smoke profile: 300 arrivals a second for 50 s, after 5 s in which the rate rises from 0.
ARRIVALS = 300 * 50 + 300 * 5 // 2


def copy_into(folder: Path) -> None:
    """Copy what a clone would hold, were all changes committed."""
    # The checkout may belong to another user than the one who runs the tests.
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)


def launch(folder: Path, *arguments: str) -> tuple[int, str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SHARDLOAD_")}
    done = subprocess.run(
        ["./shardload", *arguments],
        cwd=folder,
        env=environment,
        timeout=PATIENCE_SECONDS,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def test_the_two_commands_of_the_readme_hold_in_a_fresh_copy(tmp_path: Path) -> None:
    copy_into(tmp_path)
    assert not (tmp_path / ".shardload").exists()
    code, output = launch(tmp_path, "run")
    assert_code(code, 0, output)
    (bundle,) = (tmp_path / "runs").iterdir()
    summary = json.loads((bundle / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert_closed(summary["warmup_ledger"])
    assert summary["ledger"]["scheduled"] == ARRIVALS
    assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
    assert summary["verification"]["verdict"] == "clean"
    assert json.loads((bundle / "environment.json").read_text())["rows_at_start"] == 100_000
    assert (bundle / "report.html").stat().st_size > 10_000
    code, output = launch(tmp_path, "targets")
    assert code == 0, output
    lines = output.splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted(
        path.stem for path in (ROOT / "taurus" / "targets").glob("*.yml")
    ), output
