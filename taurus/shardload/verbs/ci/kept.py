"""Files that are kept of a run: JUnit results and the archive."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return text + b"\n"


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
