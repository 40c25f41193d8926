"""The Python packages in an archive: wheels for each version of Python, all of one folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from shardload.config.problem import Problem
from shardload.verbs.package import TIME_SECONDS

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
