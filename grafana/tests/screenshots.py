"""Renews the pictures of docs/ from runs of this version: ``python -m tests.screenshots [--rate N] [NAME ...]``.

Every picture shows what was measured on this machine, so it should have little else to do. Names are report (with both
dashboards), stages, search, compare and history; without names all are made, in about a quarter of an hour. The name
tutorial calls the commands of docs/tutorial.md on the server that its reader starts, and prints what they print.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shardload.version import commit

from checks.__main__ import provisioned_scrape_interval, shipped
from checks.check import Setting
from checks.dashboard import read
from checks.time_range import TimeRange
from tests.checkout import Checkout, checked_out, end, options
from tests.preview.data import collect
from tests.preview.draw import chromium, draw
from tests.programs import ROOT, flush, free_port, node_exporter, victoria_metrics

DOCS = ROOT / "docs"
TARGET = "embedded-postgresql"
# A run that is invalid on this machine makes no picture. The spike and the search are to miss their rate.
MEASURED = (0, 3)
PATIENCE_SECONDS = 3600
# How much of a dashboard is shown, in cells of its grid: of Run the first screen.
CELLS = {"shardload-run": 19, "shardload-hosts": 30}
# A model of a server: a call takes 5 ms, so eight workers carry less than 1 600 calls a second.
MODEL = {"execution.0.concurrency": "8", "target.options.service-time": "5ms"}
STEPS = {"warm-up": "5s", "ramp-up": "75s", "steps": "5", "concurrency": "8", "stop-after-failed-steps": "5",
    "limits": "{errors: 1%, p99: 250ms}"}  # fmt: skip
STAGES = (
    "[{name: before, throughput: 400, for: 15s}, {name: spike, throughput: 2000, for: 8s, ramp: 2s},"
    " {name: after, throughput: 400, for: 20s, ramp: 2s}]"
)
SEARCH = {
    "search.repeats": "2",
    "execution.0.throughput": "800",
    "execution.0.warm-up": "1s",
    "execution.0.hold-for": "5s",
}
SERIES = {"execution.0.warm-up": "1s", "execution.0.ramp-up": "0s", "execution.0.hold-for": "5s"}
ROUNDS = 6
# How many runs the history keeps: the last ones have an expected range.
KEPT = 9
# What is shown of a page: its width and height, and the heading of the one section that is left of it.
REPORT, STAGE, OTHERS, PAST = (1200, 1500, ""), (1000, 800, "Load and latency"), (1200, 1300, ""), (1200, 900, "")
# The pictures of docs/tutorial.md: of which call, of which of its pages, where it is, and what is shown.
TUTORIAL = {
    0: ("report.html", "report-marked.png", (1000, 820, "")),
    1: ("report.html", "tutorial-bound.png", (1000, 470, "")),
    2: ("search.html", "tutorial-search.png", (1000, 830, "")),
    3: ("compare.html", "tutorial-compare.png", (1000, 740, "")),
}
# What the numbers of docs/report-marked.png are on, in their order.
MARKED = "report-marked.png"
MARKS = (
    ".facts", ".verdict h2", ".verdict .answer", ".verdict .note", ".tile:nth-child(1)", ".tile:nth-child(2)",
    ".tile:nth-child(3)", ".charts > :nth-child(1)", ".charts > :nth-child(2)",
)  # fmt: skip
# A copy of a page that a script changes has no policy, which forbids scripts other than its own.
_POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>")
_ONLY = """<script>{ const wanted = [...document.querySelectorAll('section')].find(
  (each) => each.querySelector('h2')?.textContent === %s);
wanted.parentElement.replaceChildren(wanted); }</script>"""
_NUMBERS = """<script>%s.forEach((what, i) => {
  const at = document.querySelector(what).getBoundingClientRect();
  const mark = document.body.appendChild(document.createElement('b'));
  mark.textContent = i + 1;
  mark.style.cssText = `position: absolute; left: ${Math.max(2, at.left - 22)}px; top: ${at.top - 6}px; width: 20px;
    font: bold 13px/20px sans-serif; text-align: center; color: #fff; background: #b3261e; border-radius: 10px`;
});</script>"""


def run(checkout: Checkout, *arguments: str) -> str:
    """Call shardload and return what it printed."""
    print("shardload", *arguments, flush=True)
    log = checkout.root / "screenshots.log"
    process = checkout.start(log, *arguments)
    try:
        code = process.wait(PATIENCE_SECONDS)
    finally:
        end(process)
    output = log.read_text(errors="replace")
    if code not in MEASURED:
        sys.exit(f"code {code}:\n{output}")
    return output


def take(page: Path, output: Path, shape: tuple[int, int, str]) -> None:
    """Have Chromium draw the upper part of a page, or one of its sections."""
    wide, tall, heading = shape
    with tempfile.TemporaryDirectory() as folder:
        source = page
        script = (
            _ONLY % json.dumps(heading) if heading else _NUMBERS % json.dumps(MARKS) if output.name == MARKED else ""
        )
        if script:
            source = Path(folder) / "page.html"
            source.write_text(_POLICY.sub("", page.read_text(encoding="utf-8")) + script, encoding="utf-8")
        chromium(folder, f"--window-size={wide},{tall}", f"--screenshot={output}", source.as_uri())
    print(f"{output}: {output.stat().st_size // 1000} kB", flush=True)


def newest(checkout: Checkout, page: str) -> Path:
    """Return the page that was written last."""
    return max((checkout.root / "runs").rglob(page), key=lambda path: path.stat().st_mtime_ns)


def report(checkout: Checkout, rate: int) -> None:
    """Run steps under a store that scrapes everything, and draw report and dashboards."""
    folder = checkout.root.parent
    listen = f"127.0.0.1:{free_port()}"
    with node_exporter(folder) as node:
        checkout.target(TARGET, hosts=[{"host": node, "role": "primary"}])
        scrape = run(checkout, "scrape-config", "--target", TARGET, "--server-metrics", listen)
        with victoria_metrics(folder, scrape) as store:
            watcher = checkout.start(folder / "watch.log", "server-metrics", "--target", TARGET, "--listen", listen)
            began = time.time()
            try:
                profile = options({f"execution.0.{key}": value for key, value in STEPS.items()})
                size = ("--rate", str(rate), "--documents", "20k", "--profile", "max-capacity")
                run(checkout, "run", "--target", TARGET, *size, *profile)
            finally:
                end(watcher)
            flush(store)
            page = newest(checkout, "report.html")
            take(page, DOCS / "report.png", REPORT)
            span = TimeRange(_start(page.parent, began) - 15, time.time())
            for board in map(read, shipped()):
                if board.uid in CELLS:
                    wanted = {"run": [page.parent.name], "source": ["live"]}
                    setting = Setting(store, span, provisioned_scrape_interval(), wanted)
                    _draw(
                        collect(board, setting),
                        CELLS[board.uid],
                        DOCS / f"{board.uid.replace('shardload', 'dashboard')}.png",
                    )


def _draw(data: dict[str, Any], cells: int, output: Path) -> None:
    """Draw the upper rows of a dashboard."""
    places = [(panel, panel["gridPos"]) for panel in data["panels"]]
    data["panels"] = [panel for panel, place in places if place["y"] + place["h"] <= cells]
    faults = [panel for panel in draw(data, output).panels if panel["state"] != "drawn"]
    if faults:
        sys.exit(f"{output}: {faults}")
    print(f"{output}: {output.stat().st_size // 1000} kB", flush=True)


def _start(bundle: Path, otherwise: float) -> float:
    """Return when the load of a run began."""
    text = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))["started"]
    found = re.match(r"[\dT:-]+", text or "")
    return time.mktime(time.strptime(found[0], "%Y-%m-%dT%H:%M:%S")) - time.timezone if found else otherwise


def stages(checkout: Checkout, rate: int) -> None:
    """Overload the model for some seconds."""
    given = {**MODEL, "execution.0.stages": STAGES, "execution.0.warm-up": "2s"}
    run(checkout, "run", "--target", "noop", "--profile", "spike", *options(given))
    take(newest(checkout, "report.html"), DOCS / "stages.png", STAGE)


def search(checkout: Checkout, rate: int) -> None:
    """Find the rate that the model carries."""
    run(checkout, "run", "--target", "noop", "--profile", "find-capacity", *options({**MODEL, **SEARCH}))
    take(newest(checkout, "search.html"), DOCS / "search.png", OTHERS)


def compare(checkout: Checkout, rate: int) -> None:
    """Compare prepared statements with statements that are sent as text."""
    sides = ("--vary", "target.options.statements=prepared,simple", "--repeat", str(ROUNDS))
    run(checkout, "run", "--target", TARGET, "--documents", "20k", *sides, *options(SERIES))
    take(newest(checkout, "compare.html"), DOCS / "compare.png", OTHERS)


def history(checkout: Checkout, rate: int) -> None:
    """Keep some short runs under one load."""
    kept = str(checkout.root.parent / "kept")
    for _ in range(KEPT):
        run(checkout, "run", "--target", TARGET, "--documents", "20k", *options(SERIES))
        run(checkout, "history", "--runs", kept, "--add", newest(checkout, "report.html").parent.name)
    run(checkout, "history", TARGET, "--runs", kept, "--page", f"{kept}/page")
    take(Path(kept, "page", "index.html"), DOCS / "history.png", PAST)


def tutorial(checkout: Checkout, rate: int) -> None:
    """Call the commands of the tutorial that name a target file, with the files that it has."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    for name, content in re.findall(r"^`(\w+\.yml)`\n```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        (checkout.root / name).write_text(content, encoding="utf-8")
    for number, command in enumerate(re.findall(r"^\./shardload (run --target \./.*)$", page, re.MULTILINE)):
        print(run(checkout, *shlex.split(command, comments=True)))
        if number in TUTORIAL:
            written, picture, shape = TUTORIAL[number]
            take(newest(checkout, written), DOCS / picture, shape)


PICTURES: dict[str, Callable[[Checkout, int], None]] = {
    each.__name__: each for each in (report, stages, search, compare, history, tutorial)
}


def main() -> None:
    """Make the pictures that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--rate", type=int, default=600, help="of the highest step of the report's run (default: 600)")
    given = parser.parse_args()
    for name in given.names or [name for name in PICTURES if name != "tutorial"]:
        with tempfile.TemporaryDirectory() as folder, checked_out(Path(folder)) as checkout:
            # The checkout of the runs has no git: the commit is named as in an archive.
            (checkout.root / "archive.json").write_text(json.dumps({"commit": commit(ROOT)}))
            PICTURES[name](checkout, given.rate)
    subprocess.run(["git", "-C", str(ROOT), "status", "--short", "docs"], check=False)


if __name__ == "__main__":
    main()
