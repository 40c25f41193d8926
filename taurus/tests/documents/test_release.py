"""Version, changelog and forms of a release belong together."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import yaml

from shardload import __version__
from tests.documents.texts import ROOT, files

POM = {"m": "http://maven.apache.org/POM/4.0.0"}
LONGEST_SECTION = 90


def sections() -> list[tuple[str, int]]:
    """Return the headings of the changelog's releases, each with the number of its lines."""
    parts = re.split(r"(?m)^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[1:]
    return [(part.splitlines()[0], len(part.splitlines())) for part in parts]


def test_all_modules_have_the_version_of_the_command_line() -> None:
    poms = files("pom.xml", "*/pom.xml", "jenkins/*/pom.xml")
    assert len(poms) == 4
    for path in poms:
        root = ElementTree.parse(path).getroot()
        own = root.find("m:version", POM)
        parent = root.find("m:parent/m:version", POM)
        found = own if own is not None else parent
        assert found is not None and found.text == __version__, path


def test_the_changelog_has_a_section_for_the_version() -> None:
    released = [(heading, count) for heading, count in sections() if heading != "Unreleased"]
    heading, count = released[0]
    assert re.fullmatch(rf"{re.escape(__version__)} - \d{{4}}-\d\d-\d\d", heading)
    assert count <= LONGEST_SECTION


def test_the_forms_for_issues_are_complete() -> None:
    bug = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text(encoding="utf-8"))
    required = {item["id"] for item in bug["body"] if item.get("validations", {}).get("required")}
    assert {"version", "steps", "seen"} <= required
    assert "acceptance" in {item.get("id") for item in bug["body"]}
    for path in files(".github/ISSUE_TEMPLATE/*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert "blank_issues_enabled" in form or {"name", "description", "body"} <= set(form), path
