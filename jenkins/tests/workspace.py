"""A workspace as Jenkins checks it out, with what the launcher has built in this checkout."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tarfile
import time
from pathlib import Path
from typing import Any

from tests.checkout import ROOT

_SOURCES = (
    *("shardload", "pom.xml", "mvnw", ".mvn", "jmx/pom.xml", "jmx/shardload.jmx", "jmx/home"),
    *("java-samplers/pom.xml", "java-samplers/src/main"),
    *("taurus/constraints.txt", "taurus/constraints-build.txt", "taurus/base.yml"),
    *("taurus/targets", "taurus/workloads", "taurus/profiles"),
)
_BUILT = ("app", "jmeter", "venv")


def make(folder: Path) -> None:
    """Fill a workspace."""
    folder.mkdir()
    subprocess.run(["cp", "-a", "--parents", *_SOURCES, str(folder)], cwd=ROOT, check=True)
    home = folder / ".shardload"
    (home / "stamps").mkdir(parents=True)
    for name in _BUILT:
        (home / name).symlink_to(ROOT / ".shardload" / name)
    for stamp in (ROOT / ".shardload" / "stamps").iterdir():
        # That of the Python environment names its checkout.
        (home / "stamps" / stamp.name).write_text(stamp.read_text().replace(str(ROOT), str(folder)))


def is_measuring(folder: Path) -> bool:
    """Tell whether a load has run for some seconds."""
    files = folder.glob("runs/*/latencies/*.jsonl")
    return any(time.time() - file.stat().st_mtime < 2 and len(file.read_text().splitlines()) > 3 for file in files)


def summary_in(folder: Path) -> dict[str, Any]:
    """Return the summary of the run in the results of a workspace."""
    (packed,) = folder.glob("results/*.tar.gz")
    with tarfile.open(packed) as bundle:
        (name,) = [name for name in bundle.getnames() if name.endswith("/summary.json")]
        file = bundle.extractfile(name)
        assert file is not None
        return dict(json.load(file))


def this_machine() -> str:
    """Return the lock of this machine."""
    return f"shardload-local-{socket.gethostname().lower()}"


def processes(folder: Path) -> list[str]:
    """Return the command lines of the processes that belong to a workspace."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            command = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            where = str((each / "cwd").readlink())
            state = (each / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and int(each.name) != os.getpid() and (str(folder) in command or where.startswith(str(folder))):
            found.append(f"{each.name}: {command}")
    return found
