"""The files of a run bundle that the controller reads or writes; Java's package bundle lists all of them."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shardload.config.merge import Merged
from shardload.config.places import discard

RUN_FILE = "run.json"
FAULTS_FILE = "faults.jsonl"
CONFIG_FILE = "config.yml"
OUTCOME_FILE = "outcome.json"
SUMMARY_FILE = "summary.json"
# What is kept of a run in a folder of runs, and what a CI build adds to it.
KEPT_FILES = (RUN_FILE, "environment.json", "verification.json", OUTCOME_FILE, SUMMARY_FILE)
BUILD_FILE = "build.json"
CHILD_LOG = "child.log"
# In the folder of Taurus's artifacts.
GENERATOR_PROPERTIES = "shardload.properties"
GENERATOR_LOG = "jmeter.log"
GENERATOR_OUTPUT = "jmeter.out"
_ARTIFACTS = "taurus"
_LATENCIES = "latencies"
_LIVE = "live"
_OVERRIDE = "# -o "
_CHOSEN = re.compile(r"# --(\w+) (.+)")

_SECTIONS = ("target", "schema", "workload", "scenarios", "execution", "reporting", "services", "modules", "run")


def is_bundle(folder: Path) -> bool:
    """Whether a folder is a run bundle."""
    return (folder / RUN_FILE).is_file()


def bundles_in(folder: Path) -> list[Path]:
    """Return the run bundles in a folder by their names, which begin with their times."""
    return sorted(path.parent for path in folder.glob(f"*/{RUN_FILE}"))


def artifacts_folder(bundle: Path) -> Path:
    """Return the folder of Taurus's artifacts and JMeter's files."""
    return bundle / _ARTIFACTS


def ledger_file(bundle: Path, stream: str) -> Path:
    """Return the ledger of a stream of seconds: that of the local generator, or the sum of all load hosts."""
    return bundle / _LATENCIES / f"{stream}.jsonl"


def histogram_file(bundle: Path, stream: str) -> Path:
    """Return the interval histograms of a stream."""
    return bundle / _LATENCIES / f"{stream}.hlog"


def live_files(bundle: Path, stream: str, number: int) -> tuple[Path, Path]:
    """Return ledger and histograms of one part of the live copy of a stream."""
    stem = bundle / _LIVE / f"{stream}.{number}"
    return stem.with_name(f"{stem.name}.jsonl"), stem.with_name(f"{stem.name}.hlog")


def first_live_number(bundle: Path, stream: str) -> int | None:
    """Return the number of the oldest part of the live copy of a stream; None if it has none."""
    numbers = [int(path.suffixes[-2][1:]) for path in (bundle / _LIVE).glob(f"{stream}.*.jsonl")]
    return min(numbers, default=None)


def drop_live(bundle: Path) -> None:
    """Remove the live copies: what they held is in the bundle."""
    shutil.rmtree(bundle / _LIVE, ignore_errors=True)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    part.replace(path)


def write_config(path: Path, merged: Merged, chosen: Mapping[str, str]) -> None:
    """Write the merged configuration as one YAML file that repeats the run; it names secrets and holds none.

    ``chosen`` are the options by which the files were named.
    """
    kept = {key: merged.config[key] for key in _SECTIONS if merged.config.get(key)}
    if "modules" in kept:
        kept["modules"] = {name: value for name, value in kept["modules"].items() if name == "shardload"}
    head = "# The effective configuration of this run: all files and overrides merged.\n"
    head += "".join(f"# --{kind} {name}\n" for kind, name in chosen.items())
    head += "".join(f"{_OVERRIDE}{option}\n" for option in merged.overrides)
    path.write_text(head + yaml.safe_dump(kept, sort_keys=False, allow_unicode=True), encoding="utf-8")


def overrides_of(bundle: Path) -> list[str]:
    """Return the overrides that a run was started with."""
    return [line[len(_OVERRIDE) :] for line in _config_lines(bundle) if line.startswith(_OVERRIDE)]


def chosen_of(bundle: Path) -> dict[str, str]:
    """Return how the files of a run were named on the command line, by target, workload and profile."""
    return {match[1]: match[2] for match in map(_CHOSEN.fullmatch, _config_lines(bundle)) if match}


def _config_lines(bundle: Path) -> list[str]:
    try:
        return (bundle / CONFIG_FILE).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


class _Existing(logging.Filter):
    """Keeps bzt from ending with the name of a log that went with its folder."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line names nothing, or an existing file."""
        if record.msg not in ("Artifacts dir: %s", "Log file: %s") or not isinstance(record.args, tuple):
            return True
        return Path(str(record.args[0])).exists()


def adopt_artifacts(engine: Any, bundle: Path) -> Path:
    """Move Taurus's artifacts, which it creates before anything is checked, into the bundle."""
    waiting, folder = Path(engine.artifacts_dir), artifacts_folder(bundle)
    shutil.move(str(waiting), str(folder))
    _leave(waiting)
    # Plain bzt copies the user's personal configuration, which may hold tokens of other services.
    (folder / ".bzt-rc").unlink(missing_ok=True)
    _make_private(folder)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler) and Path(handler.baseFilename).parent == waiting:
            handler.baseFilename = str(folder / Path(handler.baseFilename).name)
    engine.artifacts_dir = str(folder)
    engine.config.set_dump_file(str(folder / "effective"))
    os.environ["TAURUS_ARTIFACTS_DIR"] = str(folder)
    return folder


def _make_private(folder: Path) -> None:
    """Take from others what Taurus wrote before the umask was set; its log it opens to all."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)


def drop_artifacts(engine: Any) -> None:
    """Remove Taurus's artifacts of a run that was refused: nothing is left behind."""
    engine.config.set_dump_file(None)
    if engine.artifacts_dir:
        _leave(Path(engine.artifacts_dir))
        logging.getLogger().addFilter(_Existing())
    engine.artifacts_dir = None


def _leave(waiting: Path) -> None:
    """Remove the folder in the waiting room, and the folders around it that this leaves empty."""
    discard(waiting)
    home = waiting.parent.parent
    if home.name == ".shardload" and home.is_dir() and not any(home.iterdir()):
        home.rmdir()
