"""The shell examples of README and docs, as a reader types them: a page's, in their order, in one new copy.

An example with the mark ``not run`` is left out. No command is changed, except that a search ends after 2 minutes. The
copy makes the runs short: its files have smaller numbers, as a reader may edit them. The profiles smoke, steady and
closed run at most 100 transactions a second for 3 s, and workloads load 5 000 documents.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.fences import Fence, pages, shell_fences, written
from tests.e2e.conftest import ROOT, RealCheckout, expect_built
from tests.e2e.ferretdb import link_programs
from tests.e2e.test_fresh import copy_into

pytestmark = pytest.mark.long
PATIENCE_SECONDS = 900
SHORT = {"warm-up": "1s", "ramp-up": "1s", "hold-for": "3s", "throughput": "100"}
SHORT_SEARCH = ("--max-duration 20m", "--max-duration 2m")
PROFILES = ("smoke", "steady", "closed")
# Bash ends at a command that fails. Codes 3 and 5 say that this machine did not reach the rate or was too busy to
# measure, which is no fault of the example.
SHELL = """\
set -o pipefail
trap 'code=$?; case $code in 3 | 5) ;; *) echo "failed with $code: $BASH_COMMAND"; exit $code ;; esac' ERR
"""


class Copy(RealCheckout):
    """What a reader has after a clone and the first call."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        home = root.parent / "home"
        home.mkdir()
        copy_into(root)
        self._use_what_is_built()
        self._make_short()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SHARDLOAD_")}
        path = os.pathsep.join([str(root), os.environ["PATH"]])
        # Without a terminal of 80 columns or a browser.
        self.environment = {
            **kept,
            "HOME": str(home),
            "PATH": path,
            "PYTHONPATH": str(root / "taurus"),
            "BROWSER": "true",
        }

    def _use_what_is_built(self) -> None:
        """Link it, and have the launcher take it for what it would build here."""
        home = self.root / ".shardload"
        (home / "data").mkdir(parents=True)
        link_programs(ROOT / ".shardload", home / "data")
        for name in ("app", "jmeter", "venv"):
            (home / name).symlink_to(ROOT / ".shardload" / name)
        shutil.copytree(ROOT / ".shardload" / "stamps", home / "stamps")
        stamp = home / "stamps" / "venv"
        stamp.write_text(stamp.read_text().replace(str(ROOT), str(self.root)))

    def _make_short(self) -> None:
        for name in PROFILES:
            file = self.root / "taurus" / "profiles" / f"{name}.yml"
            text = file.read_text()
            for key, value in SHORT.items():
                text = re.sub(rf"(?m)^(  {key}:) \S+", rf"\1 {value}", text)
            file.write_text(text)
        for file in (self.root / "taurus" / "workloads").rglob("*.yml"):
            # What this folder says, the file beside it says too; the launcher would build the plugin again with it.
            if file.parent.name == "document-store":
                continue
            file.write_text(re.sub(r"(?m)^( +(?:documents|rows):) \d{4,}", r"\1 5000", file.read_text()))

    def type(self, fences: list[Fence]) -> tuple[int, str]:
        """Type the examples into one shell, one after the other."""
        typed = "".join(f"echo '### {fence.where}'\n{fence.text}\n" for fence in fences)
        typed = typed.replace(*SHORT_SEARCH)
        # The code of the last command counts like those before it: 3 and 5 are the machine's.
        script = f"{SHELL}{typed}true\n"
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = shell.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            # With the shell, so that a run does not go on beside the next test.
            os.killpg(shell.pid, signal.SIGTERM)
            output, _ = shell.communicate(timeout=PATIENCE_SECONDS)
            pytest.fail(f"not over after {PATIENCE_SECONDS} s:\n{output}")
        return shell.returncode, output


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    expect_built()
    made = Copy(tmp_path / "shardload")
    yield made
    assert made.wait_until_gone() == [], "no process may outlive its command"


def to_run(page: Path) -> list[Fence]:
    return [fence for fence in shell_fences(page) if not fence.reason]


@pytest.mark.parametrize("page", [page for page in pages() if to_run(page)], ids=lambda page: page.name)
def test_the_examples_of_a_page_work(copy: Copy, page: Path) -> None:
    for name, content in written(page):
        path = copy.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    code, output = copy.type(to_run(page))
    assert code == 0, output
