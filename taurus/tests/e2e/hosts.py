"""Machines of a small network, as network namespaces: links that go down, CPU quotas, sockets per process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

PREFIX = "shardload-test-"
SUBNET = "10.197.0"
NAMESPACES = Path("/run/netns")
FAKETIME = "libfaketimeMT.so.1"
# States in /proc/net; a UDP socket without a peer takes packets of everybody.
_LISTEN = {"tcp": "0A", "udp": "07"}
_ESTABLISHED = {"tcp": "01"}
_ALIVE_SECONDS = 30
_NUMBERS = count(1)


class Socket(NamedTuple):
    """An IPv4 or IPv6 socket; an IPv4 address in an IPv6 socket appears as an IPv4 address."""

    address: str
    port: int
    peer: str
    peer_port: int

    @property
    def is_open_to_all(self) -> bool:
        return ip_address(self.address).is_unspecified


def require(program: str, package: str) -> str:
    """Return the path of a program, or fail with one line that names its package."""
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if not found:
        pytest.fail(f"{program} is missing (package {package}); see ./shardload test --help", pytrace=False)
    return found


def ip(*arguments: str) -> str:
    """Run iproute2's ip."""
    done = subprocess.run([require("ip", "iproute2"), *arguments], stdout=-1, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        pytest.fail(f"ip {' '.join(arguments)}: {done.stdout.strip()}", pytrace=False)
    return done.stdout


def faketime() -> str:
    """Return the library that fakes the wall clock of the processes that preload it."""
    for path in Path("/usr/lib").glob(f"*/faketime/{FAKETIME}"):
        return str(path)
    pytest.fail("libfaketime is missing (package libfaketime); see ./shardload test --help", pytrace=False)


def faked_clock() -> dict[str, str]:
    """Return the environment of a process whose wall clock can be faked."""
    # Its mending of timed waits makes each of a JVM's return at once, so that the JVM uses all cores.
    return {
        "LD_PRELOAD": faketime(),
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    }


def sockets(pid: int, states: Mapping[str, str] = _LISTEN) -> list[Socket]:
    """Return the sockets of a process in some states, by default those that listen."""
    inodes = set()
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                inodes.add(str(link.readlink()).removeprefix("socket:[").rstrip("]"))
    return [found for inode, found in _table(Path(f"/proc/{pid}/net"), states) if inode in inodes]


def _table(folder: Path, states: Mapping[str, str]) -> Iterator[tuple[str, Socket]]:
    for name in (f"{protocol}{version}" for protocol in states for version in ("", "6")):
        with suppress(OSError):
            for line in (folder / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == states[name.rstrip("6")]:
                    yield fields[9], Socket(*_endpoint(fields[1]), *_endpoint(fields[2]))


def _endpoint(text: str) -> tuple[str, int]:
    address, _, port = text.partition(":")
    # Words of four bytes, each in the machine's order.
    words = [bytes.fromhex(address[start : start + 8])[::-1] for start in range(0, len(address), 8)]
    found = ip_address(b"".join(words))
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found), int(port, 16)


def command_of(pid: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def end(pids: Sequence[int]) -> None:
    """Kill processes and wait until they are gone."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not any(command_of(pid) for pid in pids), f"the end of {pids}", _ALIVE_SECONDS)


def wait_for(condition, what: str, seconds: float = 120, every: float = 0.05):  # type: ignore[no-untyped-def]
    """Wait until a condition returns something true, and return that."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(every)
    return found


class Host:
    """One machine: a network namespace with one address, on a link that can be cut."""

    def __init__(self, namespace: str, wire: str, name: str, address: str) -> None:
        self.namespace = namespace
        self.name = name
        self.address = address
        self.is_cut = False
        self._wire = wire
        self._started: list[subprocess.Popen[str]] = []

    def command(self, *command: str) -> list[str]:
        """Return the command that runs a command on this host."""
        return [require("nsenter", "util-linux"), f"--net={NAMESPACES / self.namespace}", *command]

    def start(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], log: Path | None = None
    ) -> subprocess.Popen[str]:
        """Start a process; without a log its output is left to the caller."""
        with open(log or os.devnull, "a", encoding="utf-8") as output:
            process = subprocess.Popen(
                self.command(*command),
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output if log else subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def pids(self) -> list[int]:
        """Return the processes that run in the namespace."""
        return [int(pid) for pid in ip("netns", "pids", self.namespace).split() if command_of(int(pid))]

    def pids_of(self, part: str) -> list[int]:
        """Return the processes whose command line contains a text."""
        return [pid for pid in self.pids() if part in command_of(pid)]

    def listeners(self) -> list[Socket]:
        """Return what listens in the namespace."""
        return [socket for pid in self.pids() for socket in sockets(pid)]

    def established(self, port: int) -> list[Socket]:
        """Return the connections to a local port."""
        found = {s for pid in self.pids() for s in sockets(pid, _ESTABLISHED)}
        return [socket for socket in found if socket.port == port]

    def cut(self) -> None:
        """Take the link down: packets vanish, and open connections see nothing of it."""
        ip("-n", self._wire, "link", "set", f"to-{self.name}", "down")
        self.is_cut = True

    def mend(self) -> None:
        """Take the link up again."""
        ip("-n", self._wire, "link", "set", f"to-{self.name}", "up")
        self.is_cut = False

    def kill(self) -> None:
        """End everything that runs here."""
        end(self.pids())
        for process in self._started:
            process.wait()
        self._started.clear()


class Network:
    """Hosts on one bridge; nothing of it is visible in the machine's own network."""

    def __init__(self) -> None:
        if os.geteuid() != 0:
            pytest.fail("network namespaces need root; see ./shardload test --help", pytrace=False)
        remove_leftovers()
        self._name = f"{PREFIX}{os.getpid()}-{next(_NUMBERS)}-"
        self._wire = f"{self._name}wire"
        self.hosts: list[Host] = []
        ip("netns", "add", self._wire)
        ip("-n", self._wire, "link", "add", "bridge", "type", "bridge")
        ip("-n", self._wire, "link", "set", "bridge", "up")

    def add(self, name: str, number: int) -> Host:
        """Add a host with an address that ends with a number."""
        namespace, port, address = f"{self._name}{name}", f"to-{name}", f"{SUBNET}.{number}"
        ip("netns", "add", namespace)
        ip("link", "add", "eth0", "netns", namespace, "type", "veth", "peer", "name", port, "netns", self._wire)
        ip("-n", self._wire, "link", "set", port, "master", "bridge", "up")
        ip("-n", namespace, "address", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", namespace, "link", "set", device, "up")
        host = Host(namespace, self._wire, name, address)
        self.hosts.append(host)
        return host

    def close(self) -> None:
        """End what runs on the hosts, and remove them."""
        for host in self.hosts:
            host.kill()
        _remove(self._name)


def _remove(prefix: str) -> None:
    names = [line.split()[0] for line in ip("netns", "list").splitlines()]
    for name in names:
        if name.startswith(prefix):
            end([int(pid) for pid in ip("netns", "pids", name).split()])
            ip("netns", "delete", name)


def remove_leftovers() -> None:
    """Remove what test runs that were killed have left."""
    for line in ip("netns", "list").splitlines():
        name = line.split()[0]
        owner = name.removeprefix(PREFIX).partition("-")[0]
        if name.startswith(PREFIX) and not command_of(int(owner)):
            _remove(name)
