"""Where the checkout is, and what it has targets for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
JENKINS = ROOT / "jenkins"
JENKINSFILES = (ROOT / "Jenkinsfile", JENKINS / "matrix.Jenkinsfile")
TARGETS = sorted(path.stem for path in (ROOT / "taurus" / "targets").glob("*.yml"))
# Targets that name the address of a cluster.
CLUSTERS = {
    *("citus", "ferretdb", "mongodb-replica-set", "mongodb-sharded", "postgresql", "postgresql-replicas"),
}


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def driver_of(target: str) -> str:
    return str(read_yaml(ROOT / "taurus" / "targets" / f"{target}.yml")["target"]["driver"])


def copy_for_jobs(folder: Path) -> Path:
    """Copy what the jobs are made from, and the jobs."""
    shutil.copytree(ROOT / "taurus" / "targets", folder / "taurus" / "targets")
    shutil.copytree(JENKINS / "jobs", folder / "jenkins" / "jobs")
    for path in (*JENKINSFILES, JENKINS / "matrix.yml"):
        shutil.copy(path, folder / path.relative_to(ROOT))
    return folder
