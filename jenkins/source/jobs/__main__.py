"""``python -m jobs``: write jenkins/jobs/targets.yml; ``--check``: fail if the checkout's file differs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .definitions import to_yaml
from .matrix import read_matrix
from .parameters import read_parameters
from .problem import Problem
from .targets import read_targets

ROOT = Path(__file__).resolve().parents[3]


def make(root: Path) -> str:
    """Return the file that belongs to the targets and Jenkinsfiles of a checkout."""
    targets = read_targets(root / "taurus" / "targets")
    drivers = {target.driver for target in targets if target.has_cluster}
    matrix = read_matrix(root / "jenkins" / "matrix.yml", root / "jenkins" / "matrix.Jenkinsfile", drivers)
    return to_yaml(targets, read_parameters(root / "Jenkinsfile"), matrix)


def main(arguments: list[str]) -> int:
    """Write or check the file and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m jobs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; code 1 if the file differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (default: this one)")
    options = parser.parse_args(arguments)
    path = options.root / "jenkins" / "jobs" / "targets.yml"
    try:
        made = make(options.root)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    if not options.check:
        path.write_text(made, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != made:
        print(f"{path}: differs from taurus/targets, the Jenkinsfiles or jenkins/matrix.yml", file=sys.stderr)
        print("run: cd jenkins/source && ../../.shardload/venv/bin/python -m jobs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
