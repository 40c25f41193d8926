"""Where things are: the checkout, its ignored folder, the bundles."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from shardload.config.problem import Problem

# Names the checkout; the launcher sets it.
ROOT_VARIABLE = "SHARDLOAD_ROOT"
# Names the place of a run in its series, "<series>/<number>"; the bundle's run.json contains it.
SERIES_VARIABLE = "SHARDLOAD_SERIES"
# The umask of everything that writes bundles: they tell addresses, settings and statements of servers.
PRIVATE_UMASK = 0o077
# The verbs go to the checkout's folder; this is where the user stands.
STARTED_IN = Path.cwd()
# Names the folder of the bundles where it is not the checkout's runs/. SHARDLOAD_RUNS names another: the history's.
BUNDLES_VARIABLE = "SHARDLOAD_BUNDLES"
_PROBE_BYTES = 4 << 20
# Without vowels, so that they form no word.
_LETTERS = "bcdfghjkmnpqrstvwxz"
_LETTER_COUNT = 4


@dataclass(frozen=True)
class Places:
    """The folders of one checkout."""

    root: Path

    @staticmethod
    def find() -> Places:
        """Return the checkout that the launcher names, or else the one this file is in."""
        named = os.environ.get(ROOT_VARIABLE)
        return Places(Path(named) if named else Path(__file__).resolve().parents[3])

    @property
    def home(self) -> Path:
        """Everything that is set up, ignored by git."""
        return self.root / ".shardload"

    @property
    def taurus(self) -> Path:
        """The YAML files."""
        return self.root / "taurus"

    @property
    def runs(self) -> Path:
        """The bundles."""
        return named_runs() or self.root / "runs"

    @property
    def plan(self) -> Path:
        """JMeter's test plan."""
        return self.root / "jmx" / "shardload.jmx"

    @property
    def jmeter(self) -> Path:
        """JMeter's start script."""
        return self.home / "jmeter" / "bin" / "jmeter"

    @property
    def metrics(self) -> Path:
        """The files by which a store finds the metrics of running generators."""
        return self.home / "metrics"

    def data(self, target: str) -> Path:
        """Return where an embedded server keeps its data."""
        return self.home / "data" / target

    def show(self, path: Path) -> str:
        """Show a path as short as possible."""
        for base in (Path.cwd(), self.root, STARTED_IN):
            try:
                return str(path.relative_to(base))
            except ValueError:
                continue
        return str(path)


def seen_from_user(text: str | Path) -> Path:
    """Return the absolute path of what the user names, seen from where the user stands; links stay as they are."""
    return Path(os.path.normpath(STARTED_IN / Path(text).expanduser()))


def named_runs() -> Path | None:
    """Return the folder of bundles that the user names, None where it is the checkout's own."""
    named = os.environ.get(BUNDLES_VARIABLE, "").strip()
    return seen_from_user(named) if named else None


def series_of() -> dict[str, str]:
    """Return the key "series" of run.json for a run of a series, else nothing."""
    place = os.environ.get(SERIES_VARIABLE)
    return {"series": place} if place else {}


def java() -> str:
    """Return the Java to run, JAVA_HOME's before the path's."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return str(Path(home) / "bin" / "java")
    found = shutil.which("java")
    if not found:
        raise Problem("no java found: install a JDK 17 or newer, or set JAVA_HOME")
    return found


def reserve_run(runs: Path, target: str, profile: str, now: datetime | None = None, label: str | None = None) -> Path:
    """Create the folder of a new bundle, for its owner alone, and return it; it proves that the disk takes files.

    ``label`` is the name that the user gave the run. Random letters follow the time: runs that two controllers start in
    the same second may meet in one store or in the folders of one load host, and must stay two runs there.
    """
    stamp = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    parts = [target, profile, *([label] if label else [])]
    try:
        runs.mkdir(parents=True, exist_ok=True)
        while True:
            letters = "".join(secrets.choice(_LETTERS) for _ in range(_LETTER_COUNT))
            bundle = runs / "-".join([stamp, letters, *parts])
            with contextlib.suppress(FileExistsError):
                bundle.mkdir(mode=0o700)
                break
    except OSError as error:
        raise Problem(f"cannot create a bundle in {runs}: {error.strerror}") from error
    try:
        _probe(bundle)
    except OSError as error:
        discard(bundle)
        raise Problem(f"cannot write the bundle into {runs}: {error.strerror}") from error
    return bundle


def _probe(folder: Path) -> None:
    probe = folder / "probe"
    with open(probe, "wb") as file:
        file.write(b"\0" * _PROBE_BYTES)
        file.flush()
        os.fsync(file.fileno())
    probe.unlink()


def discard(folder: Path) -> None:
    """Remove a folder, and its parent when that is empty then and not one that the user named."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.parent == named_runs():
        return
    with contextlib.suppress(OSError):  # others live there
        folder.parent.rmdir()
