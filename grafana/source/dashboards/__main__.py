"""``python -m dashboards``: write the dashboards; ``--check``: say which file in the checkout differs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from . import compare, history, hosts, mariadb, mongodb, postgresql, run

FOLDER = Path(__file__).resolve().parents[2] / "dashboards"
BOARDS: dict[str, Callable[[], Dashboard]] = {
    "run.json": run.make,
    "hosts.json": hosts.make,
    "mongodb.json": mongodb.make,
    "postgresql-citus.json": postgresql.make,
    "mariadb.json": mariadb.make,
    "compare.json": compare.make,
    "history.json": history.make,
}


def texts() -> dict[str, str]:
    """Return the JSON of each dashboard by the name of its file."""
    return {
        name: json.dumps(make(), cls=JSONEncoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        for name, make in BOARDS.items()
    }


def differences(folder: Path) -> list[str]:
    """Return one line per file of the folder that is not what this package writes."""
    made = texts()
    found = []
    for name in sorted(made.keys() | {path.name for path in folder.glob("*.json")}):
        path = folder / name
        if name not in made:
            found.append(f"{path}: no module makes this file")
        elif not path.exists():
            found.append(f"{path}: missing")
        elif path.read_text(encoding="utf-8") != made[name]:
            found.append(f"{path}: differs from its source")
    return found


def main(arguments: list[str]) -> int:
    """Write or check the files and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m dashboards", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; code 1 if a file differs")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the JSON files are")
    options = parser.parse_args(arguments)
    if options.check:
        found = differences(options.folder)
        if found:
            print("\n".join([*found, "run: cd grafana/source && python -m dashboards"]), file=sys.stderr)
        return 1 if found else 0
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts().items():
        (options.folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
