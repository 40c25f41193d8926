"""What several verbs have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Verbs = object

DEFAULT_TARGET = "embedded-postgresql"
DEFAULT_WORKLOAD = "document-store"
DEFAULT_PROFILE = "smoke"


def add_verb(verbs: Verbs, name: str, text: str, examples: str | None = None) -> argparse.ArgumentParser:
    """Add a verb with its help: the examples, and what is to be known about them, come before the options."""
    form = argparse.RawDescriptionHelpFormatter
    description = f"{text[0].upper()}{text[1:]}.\n\n{examples or ''}"
    return verbs.add_parser(name, help=text, description=description, formatter_class=form)


def example(*commands: str) -> str:
    """Return commands, without the program, as the examples of a help."""
    return "\n  shardload ".join(["examples:", *commands])


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """Add what overrides keys of the files."""
    parser.add_argument("-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="override a key")
    parser.add_argument(
        "--allow-commands", action="store_true", help="let the files run commands (shellexec) and other module classes"
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add where bundles are written and looked up."""
    parser.add_argument(
        "--runs",
        dest="bundles",
        metavar="DIR",
        help="the folder of the bundles (default: SHARDLOAD_BUNDLES, or runs/ of shardload)",
    )
