"""What must hold for the bundle of a run with load hosts, read from its files without the code that wrote them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shardload.results import histogram
from tests.e2e.hosts import wait_for
from tests.e2e.hosts_cluster import Cluster, Run
from tests.e2e.test_real import BUSY, LEDGER_PARTS, assert_closed

_WORD = 1 << 64
# Five are promised; a busy machine gets one more.
_NOTICED_SECONDS = 6
_LINE = re.compile(rb"Tag=([^,]+),[^,]*,[^,]*,[^,]*,(\S+)")


class Arrivals(NamedTuple):
    """What arrivals add up to, in whatever order they were begun."""

    number: int
    indexes: int
    fingerprints: int

    @staticmethod
    def of(final: dict, part: str = "begun") -> Arrivals:
        told = final["issued"][part]
        return Arrivals(told["number"], int(told["index_sum"], 16), int(told["hash"], 16))

    def plus(self, other: Arrivals) -> Arrivals:
        return Arrivals(
            self.number + other.number,
            (self.indexes + other.indexes) % _WORD,
            (self.fingerprints + other.fingerprints) % _WORD,
        )


def lines(bundle: Path, stream: str) -> list[dict]:
    """Return the ledger lines of a stream."""
    text = (bundle / "latencies" / f"{stream}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def finals(bundle: Path, generators: int) -> list[dict]:
    """Return the final ledger line of each generator."""
    found = [lines(bundle, f"generator-{number}")[-1] for number in range(generators)]
    assert all(line.get("final") for line in found)
    return found


def begun(bundle: Path, generators: int) -> Arrivals:
    """Return the arrivals that all generators together have begun."""
    total = Arrivals(0, 0, 0)
    for line in finals(bundle, generators):
        total = total.plus(Arrivals.of(line))
    return total


def histograms(bundle: Path, stream: str) -> dict[str, Any]:
    """Return the counts of a stream by tag, over all intervals."""
    found: dict[str, Any] = {}
    for line in (bundle / "latencies" / f"{stream}.hlog").read_bytes().splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            tag, counts = match.group(1).decode(), histogram.decode(match.group(2))
            found[tag] = found[tag] + counts if tag in found else counts
    return found


def assert_sum_is_merged(bundle: Path, generators: int) -> None:
    """Compare the histograms of all generators, tag by tag and slot by slot, with the merged ones."""
    total: dict[str, Any] = {}
    for number in range(generators):
        own = histograms(bundle, f"generator-{number}")
        assert [tag for tag in own if tag.endswith("/service")], f"generator {number} measured nothing"
        for tag, counts in own.items():
            total[tag] = total[tag] + counts if tag in total else counts
    merged = histograms(bundle, "merged")
    assert sorted(merged) == sorted(total)
    assert [tag for tag, counts in merged.items() if not np.array_equal(counts, total[tag])] == []


def ledger_of(bundle: Path, stream: str) -> dict[str, int]:
    """Return the counters of a stream over all lines."""
    total = dict.fromkeys(("started", "dropped", *LEDGER_PARTS), 0)
    for line in lines(bundle, stream):
        for transactions in (line.get("segments") or {}).values():
            for counted in transactions.values():
                for key in total:
                    total[key] += counted.get(key, 0)
    return total


def assert_ledgers_close(bundle: Path, generators: int) -> None:
    """Expect that the ledger closes per host and in sum, in the raw lines."""
    total = dict.fromkeys(("started", "dropped", *LEDGER_PARTS, "scheduled"), 0)
    for number, final in enumerate(finals(bundle, generators)):
        own = ledger_of(bundle, f"generator-{number}")
        own["scheduled"] = sum(count for mix in final["scheduled"].values() for count in mix.values())
        assert own["scheduled"] > 0
        assert_closed(own)
        total = {key: total[key] + own[key] for key in total}
    assert_closed(total)
    merged = ledger_of(bundle, "merged")
    assert merged == {key: total[key] for key in merged}


def assert_sound(run: Run) -> dict:
    """Expect exit code 0 and closed ledgers, but for what a busy machine may do: it drops arrivals, too."""
    summary = run.read("summary.json")
    for ledger in (summary["ledger"], summary["warmup_ledger"]):
        assert_closed(ledger)
    assert not any("not compared with the plan" in finding for finding in summary["findings"]), run.output
    reasons = [reason for reason in summary["verdict"]["reasons"] if not reason.startswith(BUSY)]
    assert reasons == [] and run.code == summary["verdict"]["code"], run.output
    assert run.code == 0 or "generator-bound: " in run.output, run.output
    return summary


def assert_rate(bundle: Path, summary: dict, per_second: float, seconds: float) -> None:
    """Expect that what was offered, and what was begun in the hold, is what was asked, within one percent."""
    assert abs(summary["throughput"]["offered"] - per_second) <= 0.01 * per_second
    held = sum(
        counted["started"]
        for line in lines(bundle, "merged")
        for counted in (line.get("segments") or {}).get("hold", {}).values()
    )
    assert abs(held / seconds - per_second) <= 0.01 * per_second


def assert_stopped(cluster: Cluster, run: Run, since: float, lost: int) -> None:
    """Expect that a loss was noticed, that the others stopped within 10 s, and that nobody went on."""
    (loss,) = run.read("outcome.json")["losses"]
    assert loss["generator"] == lost
    assert loss["host"].partition(":")[0] == cluster.addresses[lost]
    noticed = lines(run.bundle, "merged")[-1]["start_epoch_ms"] / 1000 + loss["noticed_ns"] / 1e9 - since
    assert noticed < _NOTICED_SECONDS, f"noticed after {noticed:.1f} s"
    assert_quiet(cluster, since, 10)


def assert_quiet(cluster: Cluster, since: float, seconds: float) -> None:
    """Expect that no host reached the documents any more, so long after an event."""
    hosts = set(cluster.addresses)
    alive = {host.address for host in cluster.hosts if not host.host.is_cut}
    wait_for(lambda: not alive & set(cluster.database.clients()), "the end of the connections")
    last = max(one.epoch for one in cluster.database.statements() if one.client in hosts)
    assert last - since < seconds, f"they went on for {last - since:.1f} s"
