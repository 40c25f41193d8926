"""The Jenkinsfiles follow the grammar and the rules, and each fault of faults.yml is found with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import JENKINSFILES, ROOT, read_yaml
from tests.parsed import read
from tests.rules import findings

FAULTS: list[dict[str, str]] = read_yaml(Path(__file__).with_name("faults.yml"))
SCRIPT = "machines.addAll(sh"


def found_in(files: list[Path]) -> list[list[str]]:
    """Return what parser and rules find in each file."""
    return [
        one["findings"] + (findings(file, one["pipeline"]) if one["pipeline"] else [])
        for file, one in zip(files, read(files))
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, list[str]]]:
    """Return for each fault its place, as ``file:line: ``, and what is found."""
    folder, places, files = tmp_path_factory.mktemp("faults"), [], []
    for number, fault in enumerate(FAULTS):
        change, into = fault.get("change", SCRIPT), fault.get("into", f"{fault.get('code')}\n{SCRIPT}")
        text = (ROOT / fault.get("file", "Jenkinsfile")).read_text(encoding="utf-8")
        assert change in text, fault
        text = text.replace(change, into, 1)
        files.append(folder / f"{number}.Jenkinsfile")
        files[-1].write_text(text, encoding="utf-8")
        places.append(f"{files[-1]}:{text[: text.index(fault.get('at', into))].count(chr(10)) + 1}: ")
    return list(zip(places, found_in(files)))


def test_the_jenkinsfiles_have_no_fault() -> None:
    assert found_in(list(JENKINSFILES)) == [[], []]


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_a_fault_is_found(found: list[tuple[str, list[str]]], number: int) -> None:
    place, lines = found[number]
    message = FAULTS[number]["found"]
    assert [line for line in lines if line.startswith(place) and message in line], (place, message, lines)
