"""The parts that are set up: which commands make each, and what is done with what they made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# The build is short: what a better compiler and collector would save later is never earned back.
_SHORT_BUILD = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
_QUIET_PIP = ("install", "--disable-pip-version-check", "--require-hashes", "--no-deps")
_PIP_WHEEL = "pip-*.whl"
_CONNECTOR = "mariadb-java-client-*.jar"


@dataclass(frozen=True)
class Part:
    """Something that is set up by commands, one after another, while others are at work."""

    name: str
    title: str
    commands: Sequence[Sequence[str]]
    # What is done before the first command and after the last one.
    begin: Callable[[], None] = lambda: None
    finish: Callable[[], None] = lambda: None
    environment: Mapping[str, str] = field(default_factory=dict)
    # The name of a part that must be finished before this one begins.
    after: str = ""
    # What a failure costs where the set-up goes on without the part; empty if it cannot.
    without: str = ""


@dataclass(frozen=True)
class Folders:
    """The checkout or unpacked archive, and the folder of what is set up."""

    root: Path

    @property
    def home(self) -> Path:
        """Where everything is set up."""
        return self.root / ".shardload"

    @property
    def new(self) -> Path:
        """Where Maven puts what takes the place of the old at the end."""
        return self.home / "new"

    @property
    def venv(self) -> Path:
        """The Python environment."""
        return self.home / "venv"

    @property
    def wheels(self) -> Path:
        """The packages that an archive has with it."""
        return self.root / "wheels"

    def stamp(self, name: str) -> Path:
        """Return the file that says from which inputs a part was made."""
        return self.home / "stamps" / name

    def unstamp(self, *names: str) -> None:
        """Have parts made again by the next call, unless this one finishes them."""
        for name in names:
            self.stamp(name).unlink(missing_ok=True)


def java(folders: Folders, stamps: Mapping[str, str]) -> Part:
    """Return the part that Maven makes: the samplers, and the JMeter home where it is due as well."""
    with_home = "jmeter" in stamps
    modules = "java-samplers,jmx" if with_home else "java-samplers"

    def begin() -> None:
        shutil.rmtree(folders.new, ignore_errors=True)
        # A new home lacks the plugin.
        folders.unstamp("app", *(["jmeter"] if with_home else []))

    def finish() -> None:
        if with_home:
            _swap(folders, "jmeter")
        _swap(folders, "app")
        extensions = folders.home / "jmeter" / "lib" / "ext"
        shutil.copy(folders.home / "app" / "plugin" / "shardload-jmeter.jar", extensions / "shardload-jmeter.tmp")
        (extensions / "shardload-jmeter.tmp").replace(extensions / "shardload-jmeter.jar")
        # Under the LGPL, so the plugin is without it.
        for old in extensions.parent.glob(_CONNECTOR):
            old.unlink()
        for connector in (folders.home / "app" / "lib").glob(_CONNECTOR):
            shutil.copy(connector, extensions.parent)
        for name, value in stamps.items():
            folders.stamp(name).write_text(value)
        shutil.rmtree(folders.new, ignore_errors=True)

    # One call for both modules, side by side. Tests are not compiled, and no library waits for the one before it.
    maven = ["./mvnw", "--batch-mode", "--no-transfer-progress", "--threads", "2", "-pl", modules]
    maven += ["-Dmaven.test.skip=true", "-Dlenient", "-Daether.dependencyCollector.impl=bf"]
    maven += ["-Dtarget.folder=target/app", f"-Dassemble={folders.new}", "package"]
    title = "JMeter and samplers (Maven)" if with_home else "samplers (Maven)"
    options = f"{_SHORT_BUILD} {os.environ.get('MAVEN_OPTS', '')}".strip()
    return Part("java", title, [maven], begin, finish, {"MAVEN_OPTS": options})


def class_data(folders: Folders, base: str, after: str) -> Part:
    """Return the part that makes the archives of loaded classes, with which both JVMs start faster."""
    command = [base, "-m", "shardload.setup.class_data", "--root", str(folders.root)]
    environment = {"PYTHONPATH": str(folders.root / "taurus")}
    return Part(
        "class-data",
        "class data (for a faster start)",
        [command],
        environment=environment,
        after=after,
        without="every start of JMeter takes longer",
    )


def _swap(folders: Folders, name: str) -> None:
    """Replace a folder by the finished new one."""
    old, current = folders.home / f"{name}.old", folders.home / name
    shutil.rmtree(old, ignore_errors=True)
    if current.exists():
        current.rename(old)
    (folders.new / name).rename(current)
    shutil.rmtree(old, ignore_errors=True)


def python(folders: Folders, base: str, version: str, stamp: str) -> Part:
    """Return the part that pip makes, from the archive's own packages where it has them for this Python."""
    interpreter = str(folders.venv / "bin" / "python")
    offline = folders.wheels / f"requirements-{version}.txt"

    def begin() -> None:
        folders.unstamp("venv", "dev")
        shutil.rmtree(folders.venv, ignore_errors=True)

    def finish() -> None:
        # The environment finds the package where it is.
        packages = folders.venv / "lib" / f"python{version}" / "site-packages"
        packages.mkdir(parents=True, exist_ok=True)
        (packages / "shardload.pth").write_text(f"{folders.root / 'taurus'}\n")
        folders.stamp("venv").write_text(stamp)

    commands = (
        _offline(folders, base, interpreter, offline) if offline.exists() else _online(folders, base, interpreter)
    )
    return Part("python", "Python environment (pip)", commands, begin, finish)


def _online(folders: Folders, base: str, interpreter: str) -> list[list[str]]:
    """Return the commands that fetch what is pinned; what is built from source is built with pinned tools."""
    pip = [interpreter, "-m", "pip", *_QUIET_PIP]
    return [
        [base, "-m", "venv", str(folders.venv)],
        [*pip, "-r", "taurus/constraints-build.txt"],
        [*pip, "--no-build-isolation", "-r", "taurus/constraints.txt"],
    ]


def _offline(folders: Folders, base: str, interpreter: str, requirements: Path) -> list[list[str]]:
    """Return the commands that unpack wheels; pip is one of them, for Debian's Python brings none along."""
    (wheel,) = folders.wheels.glob(_PIP_WHEEL)
    sources = ["--no-index", "--find-links", str(folders.wheels)]
    return [
        [base, "-m", "venv", "--without-pip", str(folders.venv)],
        [interpreter, str(wheel / "pip"), *_QUIET_PIP, *sources, "-r", str(requirements)],
    ]
