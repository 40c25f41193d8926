"""docs/results.md on a real bundle: its Python reads the figures, and it names every file and every finding."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, Recorded

pytestmark = pytest.mark.e2e
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def first_column(heading: str) -> list[str]:
    """Return the names in the first column of the table under a heading."""
    section = PAGE.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    return [name for row in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`(.+?)`", row)]


def described(path: str) -> bool:
    return any(
        path.startswith(name) if name.endswith("/") else re.fullmatch(re.escape(name).replace("N", r"\d+"), path)
        for name in first_column("## The files of a bundle")
    )


def begins_as_described(finding: str) -> bool:
    starts = [re.sub(r"\b(N|M|NAME)\b", r"\\S+", re.escape(name)) for name in first_column("### Findings")]
    return any(re.match(start, finding) for start in starts)


def test_the_page_explains_the_bundle_of_a_run(recorded: Recorded) -> None:
    """Turned red by a key that the Python misspells, by a row taken from the files, and one from the findings.

    On a busy machine the run may miss its rate or be generator-bound: its bundle is as complete.
    """
    bundle = recorded.real.latest
    files = [str(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file()]
    assert [path for path in files if not described(path)] == []
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    assert summary["findings"]
    assert [finding for finding in summary["findings"] if not begins_as_described(finding)] == []
    printed = run_python(bundle)
    assert f"{summary['run_id']} | {summary['verdict']['name']}" in printed
    assert f"insert {summary['transactions']['insert']['ledger']['done']} done" in printed


def run_python(bundle: Path) -> str:
    """Return what the page's lines print."""
    (script,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len([line for line in script.splitlines() if line]) == 10
    command = [sys.executable, "-c", script, str(bundle)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
