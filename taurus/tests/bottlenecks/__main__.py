"""Validates the attribution on set-ups with a known bottleneck: ``tests.bottlenecks [--page FILE] [ROW ...]``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bottlenecks.rows import ROWS, Row
from tests.bottlenecks.setups import DATA, TARGET, Loaded, Site
from tests.bottlenecks.table import RUNS, Judged, is_good, markdown
from tests.e2e.conftest import ROOT, RealCheckout, expect_built, options

_PHASES = options(
    {
        "execution.0.warm-up": "4s",
        "execution.0.ramp-up": "1s",
        "execution.0.hold-for": "12s",
        "execution.0.verification": "none",
    }
)


def run(real: RealCheckout, row: Row) -> Path:
    """Run the load of a row once; return its bundle."""
    words = ["run", "--no-load", "--target", TARGET, *DATA[row.data], *_PHASES, *row.load]
    before = set((real.root / "runs").glob("*"))
    process = real.start(*words)
    try:
        output, _ = process.communicate(timeout=real.patience_seconds)
    except BaseException:
        process.terminate()
        process.communicate()
        raise
    (bundle,) = set((real.root / "runs").glob("*")) - before or {Path()}
    assert (bundle / "summary.json").exists(), output
    return bundle


def judge(site: Site, row: Row) -> list[Judged]:
    """Run a row again and again on its set-up."""
    found = []
    with row.set_up(site):
        for number in range(1, RUNS + 1):
            summary = json.loads((run(site.real, row) / "summary.json").read_text(encoding="utf-8"))
            found.append(Judged.of(summary))
            print(f"{row.name} {number}/{RUNS}: {found[-1].resource} ({row.expected})", flush=True)
    return found


def main() -> int:
    """Run the rows and print the table."""
    parser = argparse.ArgumentParser(prog="shardload test bottlenecks", description=__doc__)
    parser.add_argument("--page", help="file that gets the table as Markdown, relative to the checkout")
    parser.add_argument("row", nargs="*", metavar="ROW", help=", ".join(row.name for row in ROWS))
    given = parser.parse_args()
    unknown = set(given.row) - {row.name for row in ROWS}
    if unknown or os.geteuid():
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}" if unknown else "control groups need root")
    expect_built()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    results: list[tuple[Row, list[Judged] | None]] = []
    with TemporaryDirectory(prefix="shardload-bottlenecks-") as name:
        folder = Path(name)
        real = RealCheckout(folder / "checkout")
        loaded = Loaded.make(real, folder / "loaded")
        for row in ROWS:
            if given.row and row.name not in given.row:
                continue
            if row.needs and not os.environ.get(row.needs):
                results.append((row, None))
                continue
            with TemporaryDirectory(dir=folder) as own:
                results.append((row, judge(Site(real, loaded, Path(own), row.data), row)))
    table = markdown(results)
    print(f"\n{table}")
    if given.page:
        (ROOT / given.page).write_text(f"{table}\n", encoding="utf-8")
    return 0 if is_good(results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; what the row has made is removed")
