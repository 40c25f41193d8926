"""A witness of what generators sample: the same counters of the machine, read by other code around a run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# The last field of a cpu line that counts: steal.
_CPU_MODES = 8
_SECTOR = 512


@dataclass(frozen=True)
class Machine:
    """Counters of this machine at one moment."""

    cores: int
    busy: float
    disks: dict[str, list[float]]

    @staticmethod
    def now() -> Machine:
        """Read the counters of processors and disks; what lies on other disks has no device of its own."""
        first, *others = Path("/proc/stat").read_text().splitlines()
        ticks = [int(field) for field in first.split()[1 : 1 + _CPU_MODES]]
        busy = (sum(ticks) - ticks[3] - ticks[4]) / 100
        disks = {}
        for line in Path("/proc/diskstats").read_text().splitlines():
            name, *fields = line.split()[2:]
            reads, _, read_sectors, read_ms, writes, _, written_sectors, write_ms, _, busy_ms = map(int, fields[:10])
            block = Path("/sys/block") / name
            if (block / "device").exists() and (block / "removable").read_text().strip() == "0":
                times = [ms / 1000 for ms in (read_ms, write_ms, busy_ms)]
                counts = [reads, read_sectors * _SECTOR, writes, written_sectors * _SECTOR]
                disks[name] = [*counts[:2], times[0], *counts[2:], *times[1:]]
        return Machine(sum(1 for line in others if re.match(r"cpu\d", line)), busy, disks)


def assert_sampled(lines: list[dict], before: Machine, after: Machine, seconds: float) -> None:
    """Expect a sample per second whose counters lie between those that were read before and after the run."""
    samples = [lines[0]["machine_at_start"], *(line["machine"] for line in lines if not line.get("final"))]
    assert not any("machine" in line for line in lines if line.get("final"))
    assert not any("missing" in sample for sample in samples), samples[-1]
    times = [sample["seconds"] for sample in samples]
    assert times == sorted(times) and 0 <= times[0] < 1 and times[-1] > seconds
    assert {sample["cores"] for sample in samples} == {before.cores}
    busy = [before.busy, *(sample["cpu_busy_seconds"] for sample in samples), after.busy]
    assert busy == sorted(busy)
    own = (lines[-1]["cpu_ns"] - lines[0]["cpu_ns"]) / 1e9
    assert busy[-2] - busy[1] > own - 0.02 * before.cores, "the generator is a part of what the machine did"
    for sample in samples:
        assert set(sample["disks"]) == set(before.disks)
    for name in before.disks:
        for counter in zip(before.disks[name], *(sample["disks"][name] for sample in samples), after.disks[name]):
            assert list(counter) == sorted(counter), name
