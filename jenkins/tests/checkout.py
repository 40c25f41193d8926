"""Where the checkout is, and what it has targets for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
JENKINS = ROOT / "jenkins"
JENKINSFILES = (ROOT / "Jenkinsfile", JENKINS / "matrix.Jenkinsfile")
TARGETS = sorted(path.stem for path in (ROOT / "taurus" / "targets").glob("*.yml"))


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# Targets that name the address of a cluster.
CLUSTERS = {name for name in TARGETS if "url" in read_yaml(ROOT / "taurus" / "targets" / f"{name}.yml")["target"]}


def driver_of(target: str) -> str:
    return str(read_yaml(ROOT / "taurus" / "targets" / f"{target}.yml")["target"]["driver"])


def values(tree: Any, key: str = "") -> list[tuple[str, Any]]:
    """Return all keys with plain values."""
    if isinstance(tree, dict):
        return [found for name, value in tree.items() for found in values(value, name)]
    if isinstance(tree, list):
        return [found for item in tree for found in values(item, key)]
    return [(key, tree)]


def secrets_of(target: str) -> list[str]:
    """Return the environment variables that a target names for its secrets."""
    content = read_yaml(ROOT / "taurus" / "targets" / f"{target}.yml")
    return [value for key, value in values(content) if key.endswith("-env")]


def validate(path: Path, *schema: str) -> tuple[int, str]:
    """Return the exit code and the output of check-jsonschema."""
    command = [sys.executable, "-m", "check_jsonschema", *schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def copy_for_jobs(folder: Path) -> Path:
    """Copy what the jobs are made from, and the jobs."""
    shutil.copytree(ROOT / "taurus" / "targets", folder / "taurus" / "targets")
    shutil.copytree(JENKINS / "jobs", folder / "jenkins" / "jobs")
    for path in (*JENKINSFILES, JENKINS / "matrix.yml"):
        shutil.copy(path, folder / path.relative_to(ROOT))
    return folder
