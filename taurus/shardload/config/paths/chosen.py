"""What a command line names, made independent of the folder that it was written in."""

from __future__ import annotations

import argparse
import os

from shardload.config.paths.find import PATH_VARIABLE, argument, find_file, path_folders
from shardload.config.places import BUNDLES_VARIABLE, Places, named_runs, seen_from_user

# Options that name a file, or several; what the verbs history and runs filter by need not be there any more.
_KINDS = {
    "target": "target",
    "foreign_target": "target",
    "interleave_with": "target",
    "workload": "workload",
    "profile": "profile",
}
_BY_NAME_ALONE = ("history", "runs")


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
