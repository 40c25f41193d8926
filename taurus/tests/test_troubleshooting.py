"""docs/troubleshooting.md has the messages of the catalogue and the kinds of errors, and no text without a message."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
JAVA = ROOT / "java-samplers" / "src" / "main" / "java" / "io" / "shardload"
SHORTEST = 7
# A reader finds a message in a cell of this many at most.
MOST = 8
KINDS = "## Errors of calls"


def page() -> str:
    return (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def cells(text: str) -> list[str]:
    """Return the code spans of the first column of every table."""
    return [span for cell in re.findall(r"^\| (`.*?) \| ", text, re.M) for span in re.findall(r"`(.+?)`", cell)]


def entries() -> list[str]:
    return [cell.replace(r"\|", "|") for cell in cells(page().split(KINDS)[0])]


def sources() -> str:
    """Return all sources; a literal that lies on several lines is one."""
    paths = [*(ROOT / "taurus" / "shardload").rglob("*.py"), *JAVA.rglob("*.java")]
    text = re.sub(r'"\s*\+?\s*[fr]*"', "", "".join(path.read_text(encoding="utf-8") for path in paths))
    return text.replace('\\"', '"')


def test_every_message_of_the_catalogue_has_an_entry() -> None:
    """Turned red by a pattern taken from the page."""
    tables = (ROOT / "taurus" / "tests" / "messages").glob("*.yml")
    says = [case["says"] for table in tables for case in yaml.safe_load(table.read_text(encoding="utf-8"))]
    lines = [line for each in says for line in ([each] if isinstance(each, str) else each)]
    known = [re.compile(".*".join(map(re.escape, entry.split("...")))) for entry in entries()]
    assert len(lines) > 150
    assert [line for line in lines if not any(entry.search(line) for entry in known)] == []


def test_every_entry_is_about_a_message() -> None:
    """Turned red by a misspelt pattern."""
    found = sources()
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8").split("### Findings\n")[1].split("\n#")[0]
    findings = [re.sub(r"\b(N|M|NAME)\b", "...", cell) for cell in cells(results) if not cell.startswith("in ")]
    assert len(findings) > 20
    texts = [(entry, text.strip()) for entry in (*entries(), *findings) for text in entry.split("...")]
    assert [entry for entry, text in texts if text not in found] == []


def test_every_exit_code_of_a_run_has_its_section() -> None:
    """The closing lines name the section."""
    codes = set(re.findall(r"case (\d) -> \"\w+\"", (JAVA / "results" / "Verdict.java").read_text(encoding="utf-8")))
    assert codes == {"0", "2", "3", "4"}
    assert set(re.findall(r"^## Exit code (\d)$", page(), re.M)) == codes - {"0"} | {"5"}


def test_no_cell_is_a_list_to_search() -> None:
    firsts = re.findall(r"^\| (`.*?) \| ", page(), re.M)
    assert [cell for cell in firsts if cell.count("<br>") >= MOST] == []


def test_entries_are_long_enough_to_find_and_stand_once() -> None:
    assert [entry for entry in entries() if len(entry.replace("...", "")) < SHORTEST] == []
    assert sorted({entry for entry in entries() if entries().count(entry) > 1}) == []


def test_every_kind_of_error_has_a_row() -> None:
    """Turned red by a kind taken from the page, and by one added to it."""
    found = {"duplicate-key"}
    for path in JAVA.rglob("*.java"):
        text = path.read_text(encoding="utf-8")
        if path.match("driver/*/client/Failures.java") or path.match("driver/jdbc/client/Outcomes.java"):
            found |= set(re.findall(r'(?:return|->|[?=:]) "([a-z]+(?:-[a-z]+)*-?)"', text))
            found |= set(re.findall(r'new CallFailure\("([a-z-]+)"', text))
        found |= set(re.findall(r'String WRONG_ROW = "([a-z-]+)"', text))
        found |= set(re.findall(r'endUnknown\("([a-z-]+)"', text))
        found |= {a or b for a, b in re.findall(r'Outcome\.Failed\("([a-z-]+)"|"(not-prepared|planned-error)"', text)}
    assert {kind.replace("...", "") for kind in cells(page().split(KINDS)[1])} == found
