"""What makes a resource scarce: control groups, a disk of its own and a long way. All of it is removed at its end."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from tests.e2e.hosts import PREFIX, require, wait_for

_CGROUPS = Path("/sys/fs/cgroup")
# Short, so that nobody stands still with a lock for long: a slow processor, and not one that stops and goes.
_PERIOD_MICROS = 10_000
# The names of a limit of a disk in version 2 and version 1 of control groups.
_DISK_LIMITS = {
    "riops": "blkio.throttle.read_iops_device",
    "wiops": "blkio.throttle.write_iops_device",
    "wbps": "blkio.throttle.write_bps_device",
}


class Cgroup:
    """A control group, in version 1 or 2."""

    def __init__(self, name: str) -> None:
        self._is_unified = (_CGROUPS / "cgroup.controllers").exists()
        if self._is_unified:
            (_CGROUPS / "cgroup.subtree_control").write_text("+cpu +io")
        controllers = [""] if self._is_unified else ["cpu", "blkio"]
        self._folders = [_CGROUPS / controller / f"{PREFIX}{os.getpid()}-{name}" for controller in controllers]
        for folder in self._folders:
            folder.mkdir()

    def limit_processors(self, number: float) -> None:
        """Let its processes together use so many processors."""
        quota_micros = int(number * _PERIOD_MICROS)
        if self._is_unified:
            (self._folders[0] / "cpu.max").write_text(f"{quota_micros} {_PERIOD_MICROS}")
        else:
            (self._folders[0] / "cpu.cfs_period_us").write_text(str(_PERIOD_MICROS))
            (self._folders[0] / "cpu.cfs_quota_us").write_text(str(quota_micros))

    def limit_disk(self, device: str, limits: Mapping[str, int]) -> None:
        """Limit what its processes do per second on a device, by the names of version 2: riops, wiops, wbps."""
        for name, limit in limits.items():
            if self._is_unified:
                (self._folders[-1] / "io.max").write_text(f"{device} {name}={limit}")
            else:
                (self._folders[-1] / _DISK_LIMITS[name]).write_text(f"{device} {limit}")

    def command(self, *command: str) -> list[str]:
        """Return the command that runs a command in the group."""
        enter = "".join(f"echo $$ > {folder}/cgroup.procs && " for folder in self._folders)
        return ["sh", "-c", f'{enter}exec "$@"', "sh", *command]

    def weigh(self, percent: int) -> None:
        """Set its share of a processor that others want too, in percent of the usual share."""
        name, weight = ("cpu.weight", percent) if self._is_unified else ("cpu.shares", percent * 1024 // 100)
        (self._folders[0] / name).write_text(str(weight))

    def give_way(self, always: bool) -> None:
        """Let its processes run only while nobody else wants the processor, or as others do."""
        (self._folders[0] / "cpu.idle").write_text(str(int(always)))

    @property
    def throttled_periods(self) -> int:
        """How often its processes had to wait because they had used their processors up."""
        words = (self._folders[0] / "cpu.stat").read_text().split()
        return int(words[words.index("nr_throttled") + 1])

    def add_all(self, pids: Sequence[int]) -> None:
        """Move processes with all their threads into the group, unless they have ended."""
        for pid in pids:
            with suppress(OSError):
                for folder in self._folders:
                    (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        """Remove it as soon as its processes are gone."""
        for folder in self._folders:
            wait_for(lambda each=folder: not (each / "cgroup.procs").read_text(), f"the end of what is in {folder}")
            folder.rmdir()


@contextmanager
def cgroup(name: str) -> Iterator[Cgroup]:
    """Make a control group."""
    made = Cgroup(name)
    try:
        yield made
    finally:
        made.remove()


def call(program: str, package: str, *arguments: str) -> str:
    """Run a program of the system; a failure shows what it printed."""
    done = subprocess.run([require(program, package), *arguments], stdout=-1, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{program} {' '.join(arguments)}: {done.stdout.strip()}"
    return done.stdout.strip()


@contextmanager
def disk(folder: Path) -> Iterator[tuple[Path, str]]:
    """Make a disk of 1 GiB; yield where it is mounted, and its device as MAJOR:MINOR."""
    image, mounted = folder / "disk.img", folder / "disk"
    mounted.mkdir()
    image.touch()
    os.truncate(image, 1 << 30)
    device = call("losetup", "mount", "--find", "--show", str(image))
    try:
        call("mkfs.ext4", "e2fsprogs", "-q", device)
        call("mount", "mount", device, str(mounted))
        try:
            yield mounted, Path("/sys/block", Path(device).name, "dev").read_text().strip()
        finally:
            call("umount", "mount", str(mounted))
    finally:
        call("losetup", "mount", "--detach", device)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, delay_seconds: float) -> None:
    try:
        while data := await source.read(1 << 20):
            await asyncio.sleep(delay_seconds)
            sink.write(data)
            await sink.drain()
    except OSError:
        pass  # one end was killed
    finally:
        sink.close()


@contextmanager
def far(port: int, round_trip_seconds: float) -> Iterator[int]:
    """Put a port of 127.0.0.1 far away: each request takes a round trip longer. Yield the port to connect to.

    Not every kernel has netem.
    """
    loop = asyncio.new_event_loop()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pump(reader, requests, round_trip_seconds), _pump(answers, writer, 0))

    async def close() -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    server = loop.run_until_complete(asyncio.start_server(accept, "127.0.0.1", 0))
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def started(command: Sequence[str], log: Path, end_signal: int, **environment: str) -> Iterator[None]:
    """Start a program whose output goes to a file; at the end it gets the signal."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield
    finally:
        process.send_signal(end_signal)
        process.wait(120)
