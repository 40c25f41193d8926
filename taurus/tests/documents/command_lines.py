"""Whether a documented command line is one of the parser's, and its keys are keys of the configuration."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

from shardload.cli import SCRIPTS, build_parser
from shardload.config.check import check
from shardload.config.merge import find_file, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.options import overview
from shardload.usage import without_empty
from shardload.verbs.ci import overrides
from shardload.verbs.run import files_of
from tests.documents.texts import ROOT

PLACES = Places(ROOT)
# What stands in an example for a value of the reader's; another variable counts as a name.
VALUES = {"RATE": "300", "TIME": "90s", "DURATION": "90s", "MORE": "execution.0.warm-up=1s", "PORT": "9465", "N": "5"}
# Files that only a reader has are taken to be like these.
LIKE = {"target": "postgresql", "workload": "document-store", "profile": "smoke"}
_REMOTE = "java-samplers/src/main/java/io/shardload/remote"
SOURCES = {"generator": f"{_REMOTE}/supervisor/GeneratorMain.java", "keys": f"{_REMOTE}/engine/KeysMain.java"}
# Only the drivers know the keys of these sections; the schemas for editors have them too.
SECTIONS = ("workload", "schema", "target")
# What has names of the reader's choice.
OWN_NAMES = ("parameters", "tables", "collections", "columns")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_PARTS = re.compile(r'^test_parts="(.*)"$', re.MULTILINE)


@functools.cache
def _parser() -> argparse.ArgumentParser:
    """Make it once: that takes longer than all its uses."""
    return build_parser()


def problem(words: Sequence[str]) -> str:
    """Return why shardload would refuse these arguments; empty if it takes them."""
    given = [_VARIABLE.sub(lambda match: VALUES.get(match[1], "name"), word) for word in words]
    given = overview.without_help_verb(given)
    if given[:1] == ["test"]:
        return _of_tests(given[1:])
    if given and given[0] in SCRIPTS:
        return _of_script(given[0], given[1:])
    parser = _parser()
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            options = parser.parse_args(without_empty(given, parser))
    except SystemExit as end:
        return "" if end.code in (0, None) else said.getvalue().strip() or "refused"
    return _of_keys(options)


def _of_tests(words: Sequence[str]) -> str:
    (known,) = _PARTS.findall((ROOT / "taurus" / "tests" / "run.sh").read_text(encoding="utf-8"))
    wrong = [word for word in words if word not in (*known.split(), "--help", "-h")]
    return f"unknown part of the tests: {wrong[0]}" if wrong else ""


def _of_script(name: str, words: Sequence[str]) -> str:
    """Look for the options in the source of the program that the script starts."""
    text = (ROOT / SOURCES[name]).read_text(encoding="utf-8")
    wrong = [word for word in words if word.startswith("-") and f'"{word.partition("=")[0]}"' not in text]
    return f"{name} has no option {wrong[0]}" if wrong else ""


def _of_keys(options: argparse.Namespace) -> str:
    """Check the overrides of a verb that merges the files, with the files of the project."""
    if not hasattr(options, "option") or not hasattr(options, "target") or not hasattr(options, "options"):
        return ""
    try:
        unknown = [kind for kind in LIKE if hasattr(options, kind) and not _is_file(kind, options)]
        for kind in unknown:
            setattr(options, kind, LIKE[kind])
        overrides.settle(options, PLACES)
        kept = [each for each in options.option if "workload" not in unknown or not each.startswith("workload.")]
        if not _is_search(options):
            check(merge(files_of(options, PLACES), kept, PLACES), needs_load=hasattr(options, "profile"))
    except Problem as found:
        # A reader has the key store, which "shardload keys" makes.
        return "" if "rmi_keystore.jks" in str(found) else str(found)
    wrong = [each for each in kept if each.startswith(SECTIONS) and _unknown(each)]
    return f"-o {wrong[0]}: unknown key {_unknown(wrong[0])}" if wrong else ""


def _unknown(override: str) -> str:
    """Return the part of a key that the schemas do not have; a reader's own names are not looked up."""
    parts = [part for part in override.partition("=")[0].split(".") if not part.isdigit()]
    named = zip(parts, parts[1:])
    return next((part for before, part in named if before not in OWN_NAMES and part not in _schema_keys()), "")


@functools.lru_cache
def _schema_keys() -> set[str]:
    found: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            found.update(value.get("properties", {}))
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(each)

    for path in (ROOT / "taurus" / "schemas").glob("[!s]*.schema.json"):
        collect(json.loads(path.read_text(encoding="utf-8")))
    return found


def _is_file(kind: str, options: argparse.Namespace) -> bool:
    try:
        return Path(find_file(PLACES, kind, getattr(options, kind))).is_relative_to(ROOT / "taurus")
    except Problem:
        return False


def _is_search(options: argparse.Namespace) -> bool:
    """Whether the profile is that of a search, which makes the execution of each of its runs itself."""
    return "search:" in find_file(PLACES, "profile", getattr(options, "profile", "smoke")).read_text(encoding="utf-8")
