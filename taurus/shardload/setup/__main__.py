"""``python -m shardload.setup``: called by the launcher with what is due, and the stamps to leave when it is done."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from shardload.exit_codes import INTERRUPTED
from shardload.setup import parts
from shardload.setup.side_by_side import Failed, Job, Signals, Stopped, run
from shardload.terminal import Terminal

_TAIL_LINES = 30
_DRAW_EVERY = 5


class Lines:
    """A line for each part: on a terminal as long as it works, with the last words of its log; elsewhere at its end."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._count = 0

    def draw(self, jobs: Sequence[Job]) -> None:
        """Draw the parts at work, twice a second."""
        if self._count % _DRAW_EVERY == 0:
            self._terminal.block([_line(job) for job in jobs])
        self._count += 1

    def done(self, job: Job) -> None:
        """Print a line that stays."""
        ended = f"failed after {job.seconds()} s, so {job.part.without}; see {job.log}" if job.failed else ""
        self._terminal.line(f"  {job.part.title} ... {ended or f'done in {job.seconds()} s'}")
        self._count = 0


def _line(job: Job) -> str:
    return f"  {job.part.title} ... {job.seconds()} s  {last_words(job.log)}".rstrip()


def last_words(log: Path) -> str:
    """Return the last line of a log that says something."""
    with open(log, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 2000))
        text = file.read().decode(errors="replace")
    lines = (re.sub(r"\x1b\[[0-9;]*m|[^\x20-\x7e]", "", line) for line in reversed(text.splitlines()))
    said = (line.replace("[INFO]", "").strip(" -") for line in lines)
    return next((line for line in said if line), "")


def main() -> int:
    """Set up what is due and return the exit code."""
    options = _options()
    folders = parts.Folders(Path(options.root))
    due = []
    if options.jmeter or options.app:
        stamps = {"jmeter": options.jmeter, "app": options.app}
        due.append(parts.java(folders, {name: stamp for name, stamp in stamps.items() if stamp}))
    if options.venv:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        due.append(parts.python(folders, options.python, version, options.venv))
    if due:
        # An unpacked archive has its jars, but was packed on another machine.
        due.append(parts.class_data(folders, options.python, due[0].name))
    terminal = Terminal(sys.stderr)
    signals = Signals()
    try:
        run(due, folders.root, lambda name: folders.home / f"setup-{name}.log", Lines(terminal), signals.check)
    except Failed as failed:
        terminal.clear()
        for line in failed.log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]:
            print(line, file=sys.stderr)
        reason = f": {failed.reason}" if failed.reason else ""
        terminal.line(f"shardload: {failed.title} failed{reason}; the whole output is in {failed.log}")
        return 1
    except Stopped:
        terminal.clear()
        shutil.rmtree(folders.new, ignore_errors=True)
        terminal.line("shardload: the set-up was stopped; the next call does it again")
        return INTERRUPTED
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="shardload.setup")
    parser.add_argument("--root", required=True)
    parser.add_argument("--python", default=sys.executable, help="makes the environment")
    for name in ("jmeter", "app", "venv"):
        parser.add_argument(f"--{name}", metavar="STAMP", help="is due")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
