"""The file for load hosts, unpacked into two folders that know nothing of the checkout."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from shardload import __version__
from shardload.config.places import Places, java
from shardload.verbs.package import package
from tests.e2e.conftest import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.long]

NAME = f"shardload-{__version__}"
PATIENCE_SECONDS = 120
KEY_STORE = Path(".shardload/keys/rmi_keystore.jks")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package(Places(ROOT), tmp_path_factory.mktemp("package") / "shardload.tar.gz")


def unpack(archive: Path, into: Path) -> Path:
    into.mkdir(exist_ok=True)
    with tarfile.open(archive) as file:
        file.extractall(into)
    return into / NAME


def environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}


def shardload(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / "shardload"), *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def free_ports(host: str) -> int:
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind((host, 0))
            port = int(first.getsockname()[1])
            try:
                second.bind((host, port + 1))
            except OSError:
                continue
            return port


class LoadHost:
    """A load host of its own: an address, an unpacked folder, a running generator."""

    def __init__(self, folder: Path, host: str) -> None:
        self.address = f"{host}:{free_ports(host)}"
        self._output = folder / "output"
        with open(self._output, "wb") as output:
            self._process = subprocess.Popen(
                [str(folder / "shardload"), "generator", "--listen", self.address, "--heap", "256m"],
                env=environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def await_line(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self._output.read_text():
            assert self._process.poll() is None and time.monotonic() < deadline, self._output.read_text()
            time.sleep(0.1)

    def end(self) -> str:
        self._process.send_signal(signal.SIGINT)
        assert self._process.wait(PATIENCE_SECONDS) == 130
        return self._output.read_text()


def probe(controller: Path, hosts: list[LoadHost]) -> list[str]:
    """Ask the engines from a folder with a key store of its own."""
    home = ROOT / ".shardload"
    jars = [home / "app" / "lib" / "*"]
    jars += [jar for jar in (home / "jmeter" / "lib").glob("*.jar") if not jar.name.startswith("log4j-slf4j-impl")]
    jars += (home / "jmeter" / "lib" / "ext").glob("ApacheJMeter_*.jar")
    program = Path(__file__).with_name("ProbeEngine.java")
    command = [java(), "-cp", ":".join(map(str, jars)), str(program), str(home / "jmeter")]
    done = subprocess.run(
        [*command, ",".join(host.address for host in hosts)],
        cwd=controller,
        check=True,
        timeout=PATIENCE_SECONDS,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.split("\n")[:-1]


# Another test could take the ports between their choice and their use.
@pytest.mark.alone
def test_two_hosts_out_of_the_file(archive: Path, tmp_path: Path) -> None:
    folders = [unpack(archive, tmp_path / name) for name in ("one", "two")]
    made = shardload(folders[0], "keys")
    assert made.returncode == 0, made.stdout
    assert "like a root password" in made.stdout
    for copy in (folders[1], tmp_path / "controller"):
        (copy / KEY_STORE).parent.mkdir(parents=True)
        shutil.copy2(folders[0] / KEY_STORE, copy / KEY_STORE)
    hosts = [LoadHost(folder, host) for folder, host in zip(folders, ("127.0.0.2", "127.0.0.3"))]
    try:
        for host in hosts:
            host.await_line(f"listening on {host.address}")
        assert probe(tmp_path / "controller", hosts) == ["0 IDLE ", "1 IDLE "]
    finally:
        outputs = [host.end() for host in hosts]
    assert all(output.endswith("stopped\n") for output in outputs)


def test_it_says_what_is_wrong(archive: Path, tmp_path: Path) -> None:
    folder = unpack(archive, tmp_path)
    assert shardload(folder, "--help").stdout.startswith("usage: shardload VERB")
    version = shardload(folder, "--version").stdout
    assert re.fullmatch(
        rf"shardload {re.escape(__version__)}, commit ([0-9a-f]{{12}}( \+ changes)?|unknown)\n", version
    )
    assert shardload(folder, "generator", "--version").stdout == version
    missing = shardload(folder, "generator")
    assert missing.returncode == 1
    assert missing.stdout.startswith("shardload: no key store at ")
    unknown = shardload(folder, "run")
    assert (unknown.returncode, unknown.stdout) == (
        1,
        'shardload: unknown verb "run"; known are generator, keys\n',
    )
