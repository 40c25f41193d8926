"""The archive of ``package --all``, unpacked where there is no network, Maven or cache: a run as in a checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from shardload.verbs.archive import NAME
from tests.e2e.conftest import GENTLE, ROOT, SHORT, SMALL, options
from tests.e2e.test_real import assert_closed

# Building the archive fetches all Python packages, and packs 130 MB.
pytestmark = pytest.mark.long
PATIENCE_SECONDS = 1200
# A network namespace of its own has a loopback device alone, which is down.
OFFLINE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def command(name: str) -> str:
    """Return the folder of a program, for a PATH that has little else."""
    found = shutil.which(name)
    assert found, f"{name} is missing"
    return str(Path(found).parent)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    packed = subprocess.run(
        [str(ROOT / "shardload"), "package", "--all", "--output", str(folder / "all.tar.gz")],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    assert packed.returncode == 0, packed.stdout
    subprocess.run(["sha256sum", "--check", "--quiet", "all.tar.gz.sha256"], cwd=folder, check=True)
    with tarfile.open(folder / "all.tar.gz") as archive:
        archive.extractall(folder / "a folder")
    return folder / "a folder" / NAME


def offline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the launcher there, with an empty home and nothing of this process's environment."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    # The Python that the archive was made with, and a Java; the tests' own environment is not on the path.
    folders = [str(Path(sys.base_prefix) / "bin"), command("java"), command("ip"), "/usr/bin", "/bin"]
    environment = {"HOME": str(home), "PATH": os.pathsep.join(folders)}
    return subprocess.run(
        [*OFFLINE, "./shardload", *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip


def test_a_run_without_network_maven_and_caches(unpacked: Path) -> None:
    assert not (unpacked / ".shardload" / "venv").exists()
    done = offline(unpacked, "run", *options({**SMALL, **SHORT, **GENTLE}))
    # On a busy machine the measurement may be invalid; the run is whole all the same.
    assert done.returncode == 0 or "generator-bound: " in done.stdout, done.stdout
    assert "Python environment (pip) ... done in" in done.stdout and "Maven" not in done.stdout
    (bundle,) = (unpacked / "runs").iterdir()
    summary = json.loads((bundle / "summary.json").read_text())
    assert_closed(summary["ledger"])
    assert summary["verification"]["verdict"] == "clean"
    assert (bundle / "report.html").stat().st_size > 10_000
