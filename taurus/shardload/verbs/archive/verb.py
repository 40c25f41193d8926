"""The verb ``package --all``."""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from shardload import __version__
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal
from shardload.verbs.archive import wheels
from shardload.verbs.package import target_of, write
from shardload.version import ARCHIVE_FILE, commit

NAME = f"shardload-{__version__}-all"
# What a checkout has that runs need, and no more: no tests, no sources of Java, nothing that a run left.
CONTENT = (
    *("shardload", "LICENSE", "README.md", "CHANGELOG.md", "clusters", "docs", "schemas"),
    *("jmx/shardload.jmx", "jmx/tarball", "jenkins/plugins.txt", "jenkins/jobs"),
    *("grafana/compose.yml", "grafana/scrape.yml", "grafana/dashboards", "grafana/provisioning"),
    *("taurus/base.yml", "taurus/targets", "taurus/profiles", "taurus/workloads", "taurus/scaffold"),
    *("taurus/acceptance", "taurus/schemas", "taurus/shardload"),
    *("taurus/constraints.txt", "taurus/constraints-build.txt"),
)
# Documents of the project; a checkout without one of them makes an archive without it.
DOCUMENTS = ("CONTRIBUTING.md", "SECURITY.md")
# What is built, below .shardload.
BUILT = ("app", "jmeter")
_SKIPPED_SUFFIXES = {".tmp", ".jsa", ".pyc", ".log"}


def package_all(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Write the archive and its SHA-256, and say what is in it."""
    if (places.root / ARCHIVE_FILE).exists():
        raise Problem("--all: this installation comes from such an archive; run the command in a checkout")
    versions = wheels.read_versions(options.python)
    target = target_of(options.output, NAME)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        terminal.block(["gathering the Python packages"])
        wheels.gather(versions, places.taurus, made / "wheels")
        (made / ARCHIVE_FILE).write_text(manifest(places, versions), encoding="utf-8")
        terminal.block(["writing the archive"])
        write(target, NAME, _content(places, made))
    terminal.clear()
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    beside = target.with_name(f"{target.name}.sha256")
    beside.write_text(f"{digest}  {target.name}\n", encoding="utf-8")
    terminal.line(f"wrote {places.show(target)} ({target.stat().st_size / 1e6:.0f} MB) and {beside.name}")
    terminal.line(f"it runs on {_platform()} with Java 17 or newer; without network with Python {', '.join(versions)}")
    return 0


def manifest(places: Places, versions: Sequence[str]) -> str:
    """Return what archive.json says; the launcher reads it too, a key on each line."""
    said = {
        "version": __version__,
        "commit": commit(places.root),
        "platform": _platform(),
        "java": 17,
        "python": list(versions),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in said.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _platform() -> str:
    return f"{platform.system()} {platform.machine()}"


def _content(places: Places, made: Path) -> Iterator[tuple[Path, str]]:
    """Yield files and their names in the archive."""
    for name in (*CONTENT, *(name for name in DOCUMENTS if (places.root / name).is_file())):
        yield from _files(places.root / name, name)
    for name in BUILT:
        yield from _files(places.home / name, f".shardload/{name}")
    yield from _files(made, "")


def _files(path: Path, name: str) -> Iterator[tuple[Path, str]]:
    if path.is_file():
        yield path, name
        return
    for file in path.rglob("*"):
        if file.is_file() and not (
            file.name.startswith(".") or file.name.endswith("~") or file.suffix in _SKIPPED_SUFFIXES
        ):
            yield file, "/".join([*([name] if name else []), file.relative_to(path).as_posix()])
