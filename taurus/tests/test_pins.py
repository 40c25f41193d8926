"""What is fetched is what was pinned: the wrapper's Maven and the Python packages, by their SHA-256."""

from __future__ import annotations

import hashlib
import http.server
import re
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from shardload.setup.parts import Folders, python

ROOT = Path(__file__).resolve().parents[2]
NAME = "apache-maven-0.0.1"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def distribution(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Serve a Maven that only says so; return its address and its SHA-256."""
    served = tmp_path / "served"
    served.mkdir()
    archive = served / f"{NAME}-bin.zip"
    program = zipfile.ZipInfo(f"{NAME}/bin/mvn")
    program.external_attr = 0o755 << 16
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(program, "#!/bin/sh\necho the real thing\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{archive.name}", hashlib.sha256(archive.read_bytes()).hexdigest()
    server.shutdown()
    server.server_close()


def wrapper(folder: Path, url: str, checksum: str) -> subprocess.CompletedProcess[str]:
    """Run the project's wrapper with its properties, but for the distribution."""
    properties = (ROOT / ".mvn" / "wrapper" / "maven-wrapper.properties").read_text(encoding="utf-8")
    pinned = re.sub(r"(?m)^distributionUrl=.*", f"distributionUrl={url}", properties)
    pinned = re.sub(r"(?m)^distributionSha256Sum=[0-9a-f]{64}$", f"distributionSha256Sum={checksum}", pinned)
    (folder / ".mvn" / "wrapper").mkdir(parents=True)
    (folder / ".mvn" / "wrapper" / "maven-wrapper.properties").write_text(pinned, encoding="utf-8")
    shutil.copy(ROOT / "mvnw", folder)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "no_proxy": "127.0.0.1"}
    return subprocess.run([folder / "mvnw", "-v"], env=environment, capture_output=True, text=True, check=False)


def test_the_wrapper_runs_the_maven_that_was_pinned(tmp_path: Path, distribution: tuple[str, str]) -> None:
    assert wrapper(tmp_path / "project", *distribution).stdout == "the real thing\n"


def test_the_wrapper_refuses_any_other(tmp_path: Path, distribution: tuple[str, str]) -> None:
    """Mutation: drop distributionSha256Sum."""
    refused = wrapper(tmp_path / "project", distribution[0], "0" * 64)
    assert refused.returncode == 1
    assert "Failed to validate Maven distribution SHA-256" in refused.stderr
    assert refused.stdout == ""


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
