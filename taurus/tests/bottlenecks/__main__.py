"""Validates the attribution on set-ups with a known bottleneck: ``tests.bottlenecks [--page FILE] [ROW ...]``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bottlenecks.rows import FURTHER, ROWS, Row
from tests.bottlenecks.setups import DATA, TARGET, Loaded, Site
from tests.bottlenecks.table import FURTHER_NEEDED, FURTHER_RUNS, RUNS, Judged, is_good, markdown
from tests.e2e.conftest import ROOT, RealCheckout, expect_built, options

_PHASES = options(
    {
        "execution.0.warm-up": "4s",
        "execution.0.ramp-up": "1s",
        "execution.0.hold-for": "12s",
        "execution.0.verification": "none",
        # A storm of checkpoints holds up the last statement of a run, too.
        "execution.0.statement-timeout": "60s",
    }
)


def run(real: RealCheckout, row: Row) -> Path:
    """Run the load of a row once; return its bundle."""
    words = ["run", "--no-load", "--target", TARGET, *DATA[row.data], *_PHASES, *row.load]
    before = set((real.root / "runs").glob("*"))
    _, output = real.run(*words)
    (bundle,) = set((real.root / "runs").glob("*")) - before or {Path()}
    assert (bundle / "summary.json").exists(), output
    return bundle


def judge(site: Site, row: Row) -> list[Judged]:
    """Run a row again and again on its set-up. All runs are misses if it has not acted, and the other rows go on."""
    found: list[Judged] = []
    runs = FURTHER_RUNS if row in FURTHER else RUNS
    try:
        with row.set_up(site):
            for number in range(1, runs + 1):
                summary = json.loads((run(site.real, row) / "summary.json").read_text(encoding="utf-8"))
                found.append(Judged.of(summary))
                print(f"{row.name} {number}/{runs} ({row.expected}): {': '.join(found[-1])}", flush=True)
    except AssertionError as error:
        print(f"{row.name}: {error}", file=sys.stderr)
        shutil.rmtree(site.real.root / "runs", ignore_errors=True)  # the other rows have copies of the data
        return [Judged("-", "the set-up has not acted")] * runs
    return found


def main() -> int:
    """Run the rows and print the tables."""
    rows = [*ROWS, *FURTHER]
    parser = argparse.ArgumentParser(prog="shardload test bottlenecks", description=__doc__)
    parser.add_argument("--page", help="file that gets the tables as Markdown, relative to the checkout")
    parser.add_argument("row", nargs="*", metavar="ROW", help=", ".join(row.name for row in rows))
    given = parser.parse_args()
    unknown = set(given.row) - {row.name for row in rows}
    if unknown or os.geteuid():
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}" if unknown else "control groups need root")
    expect_built()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    results: list[tuple[Row, list[Judged] | None]] = []
    with TemporaryDirectory(prefix="shardload-bottlenecks-") as name:
        folder = Path(name)
        real = RealCheckout(folder / "checkout")
        loaded = Loaded.make(real, folder / "loaded")
        for row in rows:
            if given.row and row.name not in given.row:
                continue
            if row.needs and not os.environ.get(row.needs):
                results.append((row, None))
                continue
            with TemporaryDirectory(dir=folder) as own:
                results.append((row, judge(Site(real, loaded, Path(own), row.data), row)))
    first = [result for result in results if result[0] in ROWS]
    further = [result for result in results if result[0] in FURTHER]
    tables = [markdown(first), "Further rows: at least 30 of 36.", markdown(further)]
    page = "\n\n".join(tables if further else tables[:1]) + "\n"
    print(f"\n{page}", end="")
    if given.page:
        (ROOT / given.page).write_text(page, encoding="utf-8")
    return 0 if is_good(first) and is_good(further, FURTHER_NEEDED) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; what the row has made is removed")
