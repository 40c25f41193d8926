"""Which shardload this is: its version, and the commit that it was made from."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shardload import __version__
from shardload.config.places import Places

# An unpacked archive has this file next to the launcher; a checkout does not.
ARCHIVE_FILE = "archive.json"
UNKNOWN = "not known"


def commit(root: Path) -> str:
    """Return the commit of a checkout, and whether something was changed since, or the commit that an archive names."""
    git = ["git", "-C", str(root)]
    try:
        return str(json.loads((root / ARCHIVE_FILE).read_text(encoding="utf-8"))["commit"])
    except (OSError, ValueError, KeyError):
        pass
    try:
        # A folder inside another checkout is not a checkout.
        top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True)
        if Path(top.stdout.strip()).resolve() != root.resolve():
            return UNKNOWN
        head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return head.stdout.strip() + (", with changes" if changed.stdout.strip() else "")


class ShowVersion(argparse._VersionAction):
    """Prints version and commit; git is asked only then."""

    def __init__(self, option_strings: Sequence[str], dest: str = argparse.SUPPRESS, **settings: Any) -> None:
        super().__init__(option_strings, dest=dest, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_rest: object) -> None:
        """Print and leave."""
        print(f"shardload {__version__}, commit {commit(Places.find().root)}")
        parser.exit()
