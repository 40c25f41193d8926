"""Finding the file of a target, workload or profile: by its name in the folders that are searched, or by its path."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from shardload.config.places import BUNDLES_VARIABLE, Places, named_runs, seen_from_user
from shardload.config.problem import Problem, unknown
from shardload.config.workload.folder import WORKLOAD_FILE, name_of

# As PATH: folders with targets/, workloads/ and profiles/, searched before those of the checkout.
PATH_VARIABLE = "SHARDLOAD_PATH"
FOLDERS = {"target": "targets", "workload": "workloads", "profile": "profiles"}
_ENDINGS = (".yml", ".yaml")
# The file's name becomes part of the names of bundles and of folders with data.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# Options that name a file, or several; what the verbs history and runs filter by need not be there any more.
_KINDS = {
    "target": "target",
    "foreign_target": "target",
    "interleave_with": "target",
    "workload": "workload",
    "profile": "profile",
}
_BY_NAME_ALONE = ("history", "runs")


def path_folders() -> list[Path]:
    """Return the folders of SHARDLOAD_PATH, seen from where the user stands."""
    return [seen_from_user(text) for text in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if text.strip()]


def find_file(places: Places, kind: str, text: str) -> Path:
    """Return the file of a target, workload or profile by its name or path; a workload may be a folder."""
    if is_path(text):
        return _by_path(kind, text)
    for path in _candidates(places, kind, text):
        if path.is_file():
            return path
    if kind == "workload" and seen_from_user(text).is_dir():
        return _by_path(kind, text)
    raise Problem(unknown(kind, text, list_names(places, kind)) + _hint(kind, text))


def list_folders(places: Places) -> dict[str, Path]:
    """Return the workload.yml of each workload folder that is found without a path, by the folder's name."""
    files: dict[str, Path] = {}
    for folder in _folders(places, "workload"):
        for file in folder.glob(f"*/{WORKLOAD_FILE}"):
            files.setdefault(file.parent.name, file)
    return files


def list_names(places: Places, kind: str) -> list[str]:
    """Return the names of all targets, workloads or profiles that are found without a path."""
    found: set[str] = set()
    for folder in _folders(places, kind):
        found.update(path.stem for path in folder.glob("*") if path.suffix in _ENDINGS)
        if kind == "workload":
            found.update(path.parent.name for path in folder.glob(f"*/{WORKLOAD_FILE}"))
    return sorted(found)


def is_path(text: str) -> bool:
    """Whether what the user wrote is a path, and no name to be searched for."""
    return "/" in text or text in (".", "..") or text.endswith(_ENDINGS)


def name_of_argument(text: str) -> str:
    """Return the name of a target, workload or profile that is given by its name or path."""
    if not is_path(text):
        return text
    path = seen_from_user(text)
    return path.name if path.is_dir() else name_of(path)


def argument(places: Places, kind: str, path: Path) -> str:
    """Return what to write on the command line for a file, wherever the command is called."""
    name = name_of(path)
    found = next((one for one in _candidates(places, kind, name) if one.is_file()), None)
    if found is not None and found.resolve() == path.resolve():
        return name
    return str(path.resolve().parent if path.name == WORKLOAD_FILE and kind == "workload" else path)


def _folders(places: Places, kind: str) -> list[Path]:
    return [folder / FOLDERS[kind] for folder in (*path_folders(), places.taurus)]


def _candidates(places: Places, kind: str, name: str) -> Iterator[Path]:
    for folder in _folders(places, kind):
        yield from (folder / f"{name}{ending}" for ending in _ENDINGS)
        if kind == "workload":
            yield folder / name / WORKLOAD_FILE


def _by_path(kind: str, text: str) -> Path:
    path = seen_from_user(text)
    if kind == "workload" and (path.is_dir() or path.name == WORKLOAD_FILE):
        return _in_folder(path, text)
    if path.is_dir():
        raise Problem(f"{kind} {text}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise Problem(f"{kind} {text}: is not a regular file")
    if not path.is_file():
        near = next((f"{text}{ending}" for ending in _ENDINGS if path.with_name(path.name + ending).is_file()), None)
        what = "file or folder" if kind == "workload" else "file"
        more = f'did you mean "{near}"?' if near else f"looked for {path}"
        raise Problem(f"{kind} {text}: there is no such {what}; {more}")
    if path.suffix not in _ENDINGS:
        raise Problem(f"{kind} {text}: is not a YAML file; its name must end with .yml")
    if path.name == WORKLOAD_FILE:
        raise Problem(f"{kind} {text}: a file of this name belongs to a workload folder; give it another name")
    if not _NAME.fullmatch(path.stem):
        raise Problem(
            f'{kind} {text}: bundles are named after the file; "{path.stem}" may have letters, digits, ".", "_" and '
            '"-", and begins with a letter or digit'
        )
    return path


def _in_folder(path: Path, text: str) -> Path:
    if not path.exists():
        raise Problem(f"workload {text}: there is no such folder")
    file = path / WORKLOAD_FILE if path.is_dir() else path
    if not file.is_file():
        raise Problem(f"workload {text}: the folder has no {WORKLOAD_FILE}; shardload workload init makes a new folder")
    return file.resolve()


def _hint(kind: str, text: str) -> str:
    """Say how a file elsewhere is named, and which folders of SHARDLOAD_PATH are not there."""
    here = next((f"./{text}{ending}" for ending in _ENDINGS if seen_from_user(text + ending).is_file()), None)
    hint = f"; the file here is named by its path, {here}" if here else ""
    if kind == "workload" and not here:
        hint = "; write a folder as a path, such as ./shop"
    missing = [str(folder) for folder in path_folders() if not folder.is_dir()]
    return hint + (f"; {PATH_VARIABLE} names {', '.join(missing)}, which is not a folder" if missing else "")


def settle_folders(options: argparse.Namespace) -> None:
    """Have this process and those that it starts elsewhere search the same folders and write the same bundles."""
    given = getattr(options, "bundles", None)
    if given:
        os.environ[BUNDLES_VARIABLE] = str(seen_from_user(given))
    named = named_runs()
    if named is not None:
        os.environ[BUNDLES_VARIABLE] = str(named)
    folders = path_folders()
    if folders:
        os.environ[PATH_VARIABLE] = os.pathsep.join(map(str, folders))


def settle_files(options: argparse.Namespace, places: Places) -> None:
    """Make paths absolute, and paths of files that are found by their names these names."""
    if options.verb in _BY_NAME_ALONE:
        return
    for attribute, kind in _KINDS.items():
        given = getattr(options, attribute, None)
        if isinstance(given, str) and given:
            setattr(options, attribute, argument(places, kind, find_file(places, kind, given)))
        elif isinstance(given, list):
            setattr(options, attribute, [argument(places, kind, find_file(places, kind, one)) for one in given])
