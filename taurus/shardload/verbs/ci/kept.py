"""Files that are kept of a run: JUnit results and the archive."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shardload import exit_codes

JUNIT_FILE = "junit.xml"


def junit_of_series(series: Mapping[str, Any], bundles: Mapping[int, Path]) -> bytes:
    """Return the JUnit results of all runs of a series; a run that left none is an error.

    The class names come from the runs and contain ``run-<number>``: the order of a series does not change from build to
    build, so each case keeps its history.
    """
    root = ElementTree.Element("testsuites")
    sides = {side["label"]: side for side in series["sides"]}
    ended = {run["number"]: run for run in series.get("runs") or []}
    for number, label in enumerate(series["order"], 1):
        part = f"run-{number}"
        file = bundles[number] / JUNIT_FILE if number in bundles else None
        if file is not None and file.is_file():
            suites = ElementTree.parse(file).getroot().findall("testsuite")
        else:
            names = (sides[label]["target"], series.get("workload"), series.get("profile"))
            code = ended[number]["exit"] if number in ended else None
            suites = [_missing(".".join(["shardload", *map(str, names)]), code)]
        for suite in suites:
            _rename(suite, part, f"{label} ({sides[label]['name']})")
            root.append(suite)
    return _written(root)


def _written(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return text + b"\n"


def junit_of_search(search: Mapping[str, Any]) -> bytes:
    """Return the JUnit results of a search: one case, as its runs are at different rates in each build.

    An interval or a lower bound passes. No run within the limits and wrong documents are failures; a search without
    a valid answer is an error.
    """
    root = ElementTree.Element("testsuites")
    package = ".".join(["shardload", *(str(search.get(key)) for key in ("target", "workload", "profile"))])
    suite = ElementTree.SubElement(root, "testsuite", {"name": "search", "package": package, "id": "search"})
    case = ElementTree.SubElement(suite, "testcase", {"classname": f"{package}.search", "name": "capacity"})
    code, text = search.get("exit"), str(search.get("text") or "the search was cut off before its end")
    if code != exit_codes.OK:
        kind = "failure" if code in (exit_codes.MISSED, exit_codes.WRONG_DATA) else "error"
        ElementTree.SubElement(case, kind, {"message": text}).text = text
    else:
        ElementTree.SubElement(case, "system-out").text = text
    return _written(root)


def _missing(package: str, code: int | None) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": "measurement", "package": package, "id": "measurement"})
    case = ElementTree.SubElement(suite, "testcase", {"classname": f"{package}.measurement", "name": "complete"})
    why = "it was not started" if code is None else f"it left no results (exit code {code})"
    ElementTree.SubElement(case, "error", {"message": why}).text = why
    return suite


def _rename(suite: ElementTree.Element, part: str, side: str) -> None:
    suite.set("package", f"{suite.get('package', 'shardload')}.{part}")
    suite.set("id", f"{part}-{suite.get('id', '')}")
    for case in suite.findall("testcase"):
        package, _, name = case.get("classname", "").rpartition(".")
        case.set("classname", f"{package}.{part}.{name}")
    properties = suite.find("properties")
    if properties is not None:
        ElementTree.SubElement(properties, "property", {"name": "side", "value": side})


def archive(file: Path, folders: Sequence[Path]) -> None:
    """Write folders, each under its own name, into a compressed archive; whole or not at all."""

    def without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    part = file.with_name(f"{file.name}.part")
    try:
        with tarfile.open(part, "w:gz", compresslevel=6) as packed:
            for folder in folders:
                packed.add(folder, arcname=folder.name, filter=without_owner)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
