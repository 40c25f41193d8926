"""What is fetched is what was pinned: the wrapper's Maven and the Python packages, by their SHA-256."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shardload.setup.parts import Folders, python

ROOT = Path(__file__).resolve().parents[2]


def test_the_wrapper_knows_the_hash_of_its_maven() -> None:
    """The wrapper refuses any other."""
    properties = (ROOT / ".mvn" / "wrapper" / "maven-wrapper.properties").read_text(encoding="utf-8")
    assert re.search(r"(?m)^distributionUrl=https://\S+\.zip$", properties)
    assert re.search(r"(?m)^distributionSha256Sum=[0-9a-f]{64}$", properties)


@pytest.mark.parametrize("name", ["taurus/constraints.txt", "taurus/constraints-dev.txt", "jenkins/constraints.txt"])
def test_every_package_has_its_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    packages = re.split(r"\n(?=\S)", text.strip())
    assert len(packages) > 10
    for package in packages:
        assert re.match(r"[A-Za-z0-9._-]+==\S+", package)
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", package), package.splitlines()[0]


@pytest.mark.parametrize("script", ["taurus/tests/tools.sh", "jenkins/compose.yml"])
def test_pip_demands_hashes(script: str) -> None:
    installs = re.findall(r"pip install.*constraints.*", (ROOT / script).read_text(encoding="utf-8"))
    assert installs
    assert all("--require-hashes" in install for install in installs)


def test_the_set_up_demands_hashes_and_builds_with_pinned_tools(tmp_path: Path) -> None:
    installs = [
        command for command in python(Folders(tmp_path), "python3", "3.11", "stamp").commands if "pip" in command
    ]
    assert [command[-1] for command in installs] == ["taurus/constraints-build.txt", "taurus/constraints.txt"]
    assert all("--require-hashes" in install and "--no-deps" in install for install in installs)
    assert "--no-build-isolation" in installs[1], "an isolated build fetches whatever is newest"


def test_the_tools_of_the_build_are_those_of_the_environment() -> None:
    pinned = (ROOT / "taurus" / "constraints.txt").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", (ROOT / "taurus" / "constraints-build.txt").read_text(encoding="utf-8").strip())
    assert {block.partition("==")[0] for block in blocks} == {"packaging", "setuptools", "wheel"}
    assert [block.splitlines()[0] for block in blocks if block not in pinned] == []
