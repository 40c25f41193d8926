"""Keeping runs in a folder that outlives workspaces: the few small files by which they are judged later."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from shardload.config.problem import Problem
from shardload.results.bundle import BUILD_FILE, KEPT_FILES, RUN_FILE, SUMMARY_FILE, write_json

# Folders that a run is copied into; readers leave hidden ones out.
_ADDING = ".adding-"
_STALE_SECONDS = 86_400.0


def keep(bundle: Path, runs: Path, environment: Mapping[str, str]) -> bool:
    """Copy what is kept of a bundle into the folder of runs; False if it was there already.

    A run appears as a whole or not at all, however many jobs add at once.
    """
    if not (bundle / SUMMARY_FILE).is_file():
        raise Problem(f"{bundle.name} has no {SUMMARY_FILE}: shardload report {bundle.name} judges it")
    target = runs / bundle.name
    if _is_there(target, bundle):
        return False
    try:
        part = Path(tempfile.mkdtemp(prefix=_ADDING, dir=runs))
    except OSError as error:
        raise Problem(f"cannot keep a run in {runs}: {error.strerror}") from error
    try:
        for name in KEPT_FILES:
            if (bundle / name).is_symlink():
                raise Problem(f"{bundle / name} is a link: a bundle must contain its files itself")
            if (bundle / name).is_file():
                shutil.copyfile(bundle / name, part / name)
        build = build_of(environment)
        if build:
            write_json(part / BUILD_FILE, build)
        part.rename(target)
    except OSError as error:
        if _is_there(target, bundle):  # another job was faster
            return False
        raise Problem(f"cannot keep {bundle.name} in {runs}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return True


def _is_there(target: Path, bundle: Path) -> bool:
    """Whether the run is kept already; another one of its name, or a part of it, is a problem."""
    if not target.exists() or target.samefile(bundle):
        return target.exists()
    if not all((target / name).is_file() for name in (SUMMARY_FILE, RUN_FILE)):
        raise Problem(f"{target} is not whole: remove it, then add the run again")
    if (target / RUN_FILE).read_bytes() != (bundle / RUN_FILE).read_bytes():
        raise Problem(f"{target} is another run of the same name")
    return True


def drop_stale(runs: Path, now: float | None = None) -> None:
    """Remove what jobs left that were killed while they added."""
    for part in runs.glob(f"{_ADDING}*"):
        try:
            is_stale = (now or time.time()) - part.stat().st_mtime > _STALE_SECONDS
        except OSError:  # it has become a run
            continue
        if is_stale:
            shutil.rmtree(part, ignore_errors=True)


def build_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return system, number and address of the CI build that this is; empty outside of one."""

    def value(name: str) -> str:
        return environment.get(name, "").strip()

    if value("BUILD_NUMBER") and (value("JOB_NAME") or value("BUILD_URL")):
        return {"system": "jenkins", "number": value("BUILD_NUMBER"), "url": value("BUILD_URL")}
    if value("GITHUB_RUN_ID"):
        url = f"{value('GITHUB_SERVER_URL')}/{value('GITHUB_REPOSITORY')}/actions/runs/{value('GITHUB_RUN_ID')}"
        return {"system": "github", "number": value("GITHUB_RUN_NUMBER"), "url": url}
    if value("CI_JOB_URL"):
        return {
            "system": "gitlab",
            "number": value("CI_PIPELINE_IID") or value("CI_JOB_ID"),
            "url": value("CI_JOB_URL"),
        }
    return {}


def folder_of(named: str | None, environment: Mapping[str, str], started_in: Path) -> Path:
    """Return the folder of runs."""
    text = named or environment.get("SHARDLOAD_RUNS", "").strip()
    if not text:
        raise Problem("history needs the folder where runs are kept: set SHARDLOAD_RUNS, or give --runs DIR")
    return Path(os.path.normpath(started_in / Path(text).expanduser()))
