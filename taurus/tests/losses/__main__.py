"""Runs the tables of known answers about lost writes: ``tests.losses [--page FILE] [ROW ...]``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from tests.e2e.conftest import ROOT, RealCheckout, expect_built, options
from tests.e2e.test_mariadb import link_mariadb
from tests.losses import bank
from tests.losses.rows import BANKS, ROWS, Bank, Row
from tests.losses.setups import Site
from tests.losses.table import Answer, bank_markdown, holds, markdown

_FAULT_AT_SECONDS = 5


def profile(row: Row) -> dict[str, object]:
    """Return 1,000 calls per second and one fault. The run may lose what it loses: the table judges it."""
    load = {
        "concurrency": 64,
        "throughput": 1000,
        "warm-up": "1s",
        "hold-for": f"{row.hold_seconds}s",
        "statement-timeout": "10s",
        "limits": {"lost": 100_000},
    }
    return {"execution": [load], "faults": [{"fault": row.fault, "at": f"{_FAULT_AT_SECONDS}s", "duration": "1s"}]}


def run(site: Site, row: Row) -> Answer:
    """Run the load of a row once, on servers with nothing on them."""
    path = site.real.root / "taurus" / "profiles" / "losses.yml"
    path.write_text(yaml.safe_dump(profile(row)))
    data = options({"workload.data.documents": str(row.documents), "workload.data.tenants": "20"})
    with row.set_up(site) as chosen:
        code, output = site.real.run("run", *chosen, "--profile", "losses", *data)
    if code == 1:
        return Answer(0, fault=output.strip().splitlines()[-1])
    bundle = site.real.latest
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    events, ledger = (
        [json.loads(line) for line in (bundle / name).read_text(encoding="utf-8").splitlines()]
        for name in ("faults.jsonl", "latencies/generator-0.jsonl")
    )
    return Answer.of(row, summary, events, ledger)


def count(real: RealCheckout, row: Bank, seconds: int) -> str:
    """Run the bank of a row and return what is wrong. A set-up that fails is wrong, too, and the other rows go on."""
    with TemporaryDirectory(dir=real.root.parent) as own:
        try:
            problem = bank.run(Site(real, Path(own)), row.set_up, seconds)
        except AssertionError as error:
            problem = f"the set-up failed: {error}"
    print(f"{row.name}: {problem or 'right'}", flush=True)
    return problem


def judge(real: RealCheckout, row: Row, runs: int) -> list[Answer]:
    """Run a row again and again. A set-up that fails is an answer, too, and the other rows go on."""
    found: list[Answer] = []
    for number in range(1, runs + 1):
        with TemporaryDirectory(dir=real.root.parent) as own:
            try:
                answer = run(Site(real, Path(own)), row)
            except AssertionError as error:
                answer = Answer(0, fault=f"the set-up failed: {error}")
        found.append(answer)
        print(f"{row.name} {number}/{runs}: {answer.problem(row) or f'{answer.lost} lost'}", flush=True)
    return found


def is_missing(needs: str) -> bool:
    """Tell whether the variable or the program that a row needs is not there."""
    return bool(needs) and not (Path(needs).exists() if needs.startswith("/") else os.environ.get(needs))


def main() -> int:
    """Run the rows and print the table."""
    names = [*(row.name for row in ROWS), *(row.name for row in BANKS)]
    parser = argparse.ArgumentParser(prog="shardload test losses", description=__doc__)
    parser.add_argument("--page", help="file that gets the table as Markdown, relative to the checkout")
    parser.add_argument("--runs", type=int, help="runs of each row (default: 10; 3 of built servers)")
    parser.add_argument("--seconds", type=int, default=600, help="length of the transfers of a bank (default: 600)")
    parser.add_argument("row", nargs="*", metavar="ROW", help=", ".join(names))
    given = parser.parse_args()
    unknown = set(given.row) - set(names)
    if unknown or os.geteuid():
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}" if unknown else "file systems in files need root")
    expect_built()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    with TemporaryDirectory(prefix="shardload-losses-") as name:
        real = link_mariadb(RealCheckout(Path(name) / "checkout"))
        real.patience_seconds += given.seconds
        rows = [row for row in ROWS if not given.row or row.name in given.row]
        results = [(row, None if is_missing(row.needs) else judge(real, row, given.runs or row.runs)) for row in rows]
        banks = [row for row in BANKS if not given.row or row.name in given.row]
        counted = [(row, None if is_missing(row.needs) else count(real, row, given.seconds)) for row in banks]
    page = "\n\n".join([markdown(results)] * bool(results) + [bank_markdown(counted)] * bool(counted)) + "\n"
    print(f"\n{page}", end="")
    if given.page:
        (ROOT / given.page).write_text(page, encoding="utf-8")
    holding = [answers is None or holds(row, answers) for row, answers in results]
    return 0 if all(holding) and not any(problem for _, problem in counted) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; what the row has made is removed")
