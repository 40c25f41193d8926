"""The version of shardload, and the commit that it was made from."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shardload import __version__
from shardload.config.places import Places

# A file of an unpacked archive, next to the launcher; a checkout does not contain it.
ARCHIVE_FILE = "archive.json"
UNKNOWN = "unknown"
COMMIT_DIGITS = 12


def commit(root: Path) -> str:
    """Return the commit that an archive names, else that of the checkout and whether tracked files have changes."""
    git = ["git", "-C", str(root)]
    try:
        return str(json.loads((root / ARCHIVE_FILE).read_text(encoding="utf-8"))["commit"])
    except (OSError, ValueError, KeyError):
        pass
    try:
        # An archive may be unpacked inside the checkout of another project.
        top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True)
        if Path(top.stdout.strip()).resolve() != root.resolve():
            return UNKNOWN
        short = [*git, "rev-parse", f"--short={COMMIT_DIGITS}", "HEAD"]
        head = subprocess.run(short, capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return head.stdout.strip() + (" + changes" if changed.stdout.strip() else "")


def described(root: Path) -> dict[str, str]:
    """Return version and commit, as run.json and summary.json hold them."""
    return {"version": __version__, "commit": commit(root)}


def line(root: Path) -> str:
    """Return version and commit for people."""
    return f"shardload {__version__}, commit {commit(root)}"


class ShowVersion(argparse._VersionAction):
    """Prints version and commit; git is asked only then."""

    def __init__(self, option_strings: Sequence[str], dest: str = argparse.SUPPRESS, **settings: Any) -> None:
        super().__init__(option_strings, dest=dest, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_rest: object) -> None:
        """Print and leave."""
        print(line(Places.find().root))
        parser.exit()
