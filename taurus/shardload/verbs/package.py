"""The verb ``package``: one file with all that a load host needs but Java."""

from __future__ import annotations

import gzip
import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from shardload import __version__
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.version import line

# Any fixed time works: the same content must yield the same bytes. GNU tar warns of 1970.
TIME_SECONDS = 1_767_225_600
# Version and commit: a load host has neither Python nor git.
VERSION_FILE = "VERSION"


def package(places: Places, output: Path | None = None) -> Path:
    """Write the file, by default ``shardload-<version>.tar.gz`` in the working directory, and return its path.

    The same input yields the same bytes, and nothing in it names this machine.
    """
    name = f"shardload-{__version__}"
    target = target_of(output, name)
    with tempfile.TemporaryDirectory() as folder:
        version = Path(folder) / VERSION_FILE
        version.write_text(f"{line(places.root)}\n", encoding="utf-8")
        write(target, name, [*_content(places), (version, VERSION_FILE)])
    return target


def target_of(output: Path | None, name: str) -> Path:
    """Return the file to write: the one that was asked for, or one by its name where the user stands."""
    target = output or Path.cwd() / f"{name}.tar.gz"
    if target.is_dir():
        raise Problem(f"--output {target}: is a folder; name a file in it, such as {target / f'{name}.tar.gz'}")
    return target


def write(target: Path, name: str, content: Iterable[tuple[Path, str]]) -> None:
    """Write files, each with its name below the folder ``name``, into a compressed archive; all of it or nothing."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with open(unfinished, "wb") as file:
            _write(file, name, content)
        unfinished.replace(target)
    except OSError as error:
        raise Problem(f"cannot write {target}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _write(file: BinaryIO, name: str, content: Iterable[tuple[Path, str]]) -> None:
    packed = gzip.GzipFile("", "wb", 6, file, TIME_SECONDS)
    with packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for source, inside in sorted(content, key=lambda pair: pair[1]):
            archive.add(source, f"{name}/{inside}", recursive=False, filter=_anonymous)


def _content(places: Places) -> Iterator[tuple[Path, str]]:
    yield places.root / "jmx" / "tarball" / "shardload", "shardload"
    for name in ("LICENSE", "NOTICE"):
        yield places.root / name, name
    yield places.root / "docs" / "load-hosts.md", "load-hosts.md"
    # Statements from files: generators read them where the controller does, relative to the unpacked folder.
    for file in (places.taurus / "workloads").rglob("*"):
        if file.is_file() and not file.name.startswith(".") and not file.name.endswith("~"):
            yield file, file.relative_to(places.root).as_posix()
    home = places.home / "jmeter"
    for path in home.rglob("*"):
        if path.is_file() and path.suffix not in (".tmp", ".jsa"):
            yield path, f"jmeter/{path.relative_to(home).as_posix()}"


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = TIME_SECONDS
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry
