"""A fake generator: no JMeter and no target, but files, stdin and stop as the real one has them.

Every transaction takes FAKE_SERVICE_MS (default 0.5). FAKE_GENERATOR may be ``die:2`` (ends without a last line after
2 s), ``ends:1:143`` (told by a signal, it ends after 1 s with that code), ``refuses:3`` (ends at once with that code),
``silent:2`` (writes nothing for the rest after 2 s), ``stall:2:4`` (nothing is done from second 2 to 4),
``errors`` (a tenth fails) or ``deaf`` (heeds neither stop nor SIGTERM).
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hdrh.histogram import HdrHistogram

TICK_SECONDS = 0.5
FAULT, *NUMBERS = os.environ.get("FAKE_GENERATOR", "none").split(":")
TIMES = [float(number) for number in NUMBERS]
SERVICE_NANOS = int(float(os.environ.get("FAKE_SERVICE_MS", "0.5")) * 1e6)


def read_config() -> dict:
    properties = Path(sys.argv[sys.argv.index("-q") + 1]).read_text("latin-1")
    line = re.search(r"^shardload\.config=(.*)$", properties, re.MULTILINE).group(1)
    return json.loads(re.sub(r"\\u([0-9a-f]{4})|\\(.)", lambda m: chr(int(m[1], 16)) if m[1] else m[2], line))


def payload(count: int) -> str:
    histogram = HdrHistogram(64, 60_000_000_000, 3)
    histogram.record_value(SERVICE_NANOS, count)
    return histogram.encode().decode()


class Writer:
    def __init__(self, config: dict, stream: str) -> None:
        folder = Path(config["run"]["directory"], "latencies")
        folder.mkdir()
        self.hlog = open(folder / f"{stream}.hlog", "wb")
        self.ledger = open(folder / f"{stream}.jsonl", "w")
        # A sum names no generator.
        self.who = {"generator": 0} if stream == "generator-0" else {"generators": config["load"]["generators"]}
        self.config, self.seq = config, 0
        self.totals: dict[str, dict[str, int]] = {}

    def tick(self, start: float, end: float, segment: str, counts: dict[str, int], waiting: dict) -> None:
        entries = {}
        for name, count in counts.items():
            if not count:
                continue
            failed = count // 10 if FAULT == "errors" else 0
            self.totals.setdefault(segment, {}).setdefault(name, 0)
            self.totals[segment][name] += count
            series = ("service", "response") if self.config["load"]["model"] == "open" else ("service",)
            recorded = dict.fromkeys(series, count - failed) | ({"failed": failed} if failed else {})
            for one, times in recorded.items():
                line = f"Tag={segment}/{name}/{one},{start:.3f},{end - start:.3f},0.5,{payload(times)}\n"
                self.hlog.write(line.encode())
            entries[name] = {
                "started": count, "dropped": 0, "done": count - failed, "missing": 0, "failed": failed, "unknown": 0,
                "on_time": count - failed, "errors": {"40001": failed} if failed else {},
                "max_ns": dict.fromkeys(series, SERVICE_NANOS),
            }  # fmt: skip
        self.hlog.flush()
        self.write({
            **self.who, "seq": self.seq, "from_ns": int(start * 1e9), "to_ns": int(end * 1e9),
            "epoch_ms": int(time.time() * 1000), "workers": self.config["load"]["workers"],
            "segments": {segment: entries} if entries else {}, **waiting,
        })  # fmt: skip
        self.seq += 1

    def final(self, reason: str, end: float) -> None:
        line = {**self.who, "seq": self.seq, "final": True, "format": 2, "stop_reason": reason}
        line |= {"merged": True} if "generators" in self.who else {}
        self.write({**line, "actual_end_ns": int(end * 1e9), "scheduled": self.totals})

    def write(self, line: dict) -> None:
        self.ledger.write(json.dumps({**line, "hlog_bytes": self.hlog.tell()}) + "\n")
        self.ledger.flush()


def segment_at(config: dict, at: float) -> dict | None:
    for segment in config["load"]["segments"]:
        if at < segment["seconds"]:
            return segment
        at -= segment["seconds"]
    return None


def asked_to_stop() -> str | None:
    if not select.select([sys.stdin], [], [], 0)[0]:
        return None
    line = os.read(0, 100)
    if FAULT == "deaf":
        return None
    return "stop" if line.strip() == b"stop" else "stdin-closed"


def run(config: dict, stream: str = "generator-0", told: Callable[[], str | None] = asked_to_stop) -> None:
    writer, began, at = Writer(config, stream), time.monotonic(), 0.0
    owed = dict.fromkeys(config["mix"], 0.0)
    reason = None
    while reason is None and segment_at(config, at):
        time.sleep(max(0.0, began + at + TICK_SECONDS - time.monotonic()))
        segment = segment_at(config, at)
        rate = (segment["from_rate"] + segment["to_rate"]) / 2 if segment["from_rate"] is not None else 1000.0
        stalled = FAULT == "stall" and TIMES[0] <= at < TIMES[1]
        counts = {}
        for name, share in config["mix"].items():
            owed[name] += 0 if stalled else rate * TICK_SECONDS * share / 100
            counts[name] = int(owed[name] + 1e-9)
            owed[name] -= counts[name]
        waiting: dict = {"oldest_unfinished_ns": int((at + TICK_SECONDS - TIMES[0]) * 1e9)} if stalled else {}
        if segment["from_rate"] is not None:
            waiting["due"] = {segment["name"]: int(rate * TICK_SECONDS) if stalled else sum(counts.values())}
        if not (FAULT == "silent" and at >= TIMES[0]):
            writer.tick(at, at + TICK_SECONDS, segment["name"], counts, waiting)
        at += TICK_SECONDS
        reason = told()
        if FAULT == "die" and at >= TIMES[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        if FAULT == "ends" and at >= TIMES[0]:
            writer.final("signal", at)
            sys.exit(int(TIMES[1]))
    writer.final(reason or "schedule", at)


if __name__ == "__main__":
    if FAULT == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if FAULT == "refuses":
        sys.exit(int(TIMES[0]))
    run(read_config())
