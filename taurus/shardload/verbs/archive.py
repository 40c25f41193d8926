"""The verb ``package --all``: an archive that runs like a checkout, without Maven, compiler and network."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from shardload import __version__
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal
from shardload.verbs.package import TIME_SECONDS, target_of, write
from shardload.version import ARCHIVE_FILE, commit

NAME = f"shardload-{__version__}-all"
# What a checkout has that runs need, and no more: no tests, no sources of Java, nothing that a run left.
CONTENT = (
    *("shardload", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "clusters", "docs", "schemas"),
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
    versions = read_versions(options.python)
    target = target_of(options.output, NAME)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        terminal.block(["gathering the Python packages"])
        gather(versions, places.taurus, made / "wheels")
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
        if (file.is_file() or file.is_symlink()) and not (
            file.name.startswith(".") or file.name.endswith("~") or file.suffix in _SKIPPED_SUFFIXES
        ):
            yield file, "/".join([*([name] if name else []), file.relative_to(path).as_posix()])


OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
_OLDEST = (3, 9)
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_PINNED = ("--require-hashes", "--no-deps")


@dataclass(frozen=True)
class Pin:
    """A package of constraints.txt, with the lines that pin it."""

    requirement: Requirement
    lines: str

    @property
    def key(self) -> tuple[str, str]:
        """Its name and version, as names of wheels have them."""
        (specifier,) = self.requirement.specifier
        return canonicalize_name(self.requirement.name), specifier.version

    def is_for(self, version: str) -> bool:
        """Whether a version of Python gets it; pip would ask this of the Python that it runs on."""
        marker = self.requirement.marker
        return marker is None or marker.evaluate({"python_version": version, "python_full_version": f"{version}.0"})


def read_versions(text: str | None) -> list[str]:
    """Return the versions of Python that are asked for, the running one without."""
    versions = list(dict.fromkeys(part.strip() for part in (text or OWN).split(",")))
    for version in versions:
        if not re.fullmatch(r"3\.\d{1,2}", version) or tuple(map(int, version.split("."))) < _OLDEST:
            raise Problem(f'--python: "{version}" is not a version of Python from 3.9 on; write 3.11, or 3.11,3.12')
    return sorted(versions, key=lambda version: int(version.partition(".")[2]))


def read_pins(file: Path) -> list[Pin]:
    """Return the packages of a file of constraints."""
    blocks = re.split(r"\n(?=[^\s#])", file.read_text(encoding="utf-8").strip())
    return [Pin(Requirement(block.splitlines()[0].rstrip(" \\")), block) for block in blocks]


def gather(versions: Sequence[str], taurus: Path, into: Path) -> None:
    """Put wheels for the versions into a folder, with a requirements file for each, and the pip that unpacks them."""
    pins = read_pins(taurus / "constraints.txt")
    own = into / OWN
    own.mkdir(parents=True)
    # Also without the own version among those that are asked for: it builds what is there as source alone.
    wanted = taurus / "constraints.txt"
    _pip("wheel", *_PINNED, "--no-build-isolation", "--wheel-dir", str(own), "-r", str(wanted))
    for version in versions:
        if version != OWN:
            _download(version, [pin for pin in pins if pin.is_for(version)], own, into / version)
    for version in versions:
        requirements = "".join(f"{line}\n" for line in _requirements(into / version))
        (into / f"requirements-{version}.txt").write_text(requirements, encoding="utf-8")
    for version in {OWN, *versions}:
        for wheel in (into / version).iterdir() if version in versions else ():
            wheel.replace(into / wheel.name)
        shutil.rmtree(into / version)
    _pip("download", *_PINNED, "--dest", str(into), "-r", str(taurus / "constraints-archive.txt"))


def _download(version: str, pins: Sequence[Pin], own: Path, into: Path) -> None:
    """Fetch the wheels of another version; those that serve any version are there."""
    into.mkdir()
    for_any = {}
    for wheel in own.iterdir():
        name, release, _, tags = parse_wheel_filename(wheel.name)
        if any(tag.abi == "none" and tag.platform == "any" for tag in tags):
            for_any[name, str(release)] = wheel
    missing = into / "missing.txt"
    missing.write_text(
        "\n".join(re.sub(r"\s*;[^\\\n]*", " ", pin.lines, count=1) for pin in pins if pin.key not in for_any)
    )
    for pin in pins:
        if pin.key in for_any:
            shutil.copy(for_any[pin.key], into)
    asked = ("--python-version", version, "--only-binary", ":all:", "--dest", str(into), "-r", str(missing))
    _pip("download", *_PINNED, *asked, problem=f"--python {version}: ")
    missing.unlink()


def _requirements(folder: Path) -> Iterator[str]:
    """Yield the lines by which pip installs exactly these wheels."""
    for wheel in sorted(folder.glob("*.whl")):
        name, version, _, _ = parse_wheel_filename(wheel.name)
        yield f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"


def _pip(*arguments: str, problem: str = "") -> None:
    # The timestamp of files in a wheel that is built from source: the same input yields the same bytes.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(TIME_SECONDS)}
    done = subprocess.run(
        [*_PIP, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        told = [line for line in done.stdout.splitlines() if "ERROR" in line] or done.stdout.splitlines()[-1:]
        raise Problem(f"{problem}pip cannot provide the Python packages: {' '.join(' '.join(told[-1:]).split())}")
