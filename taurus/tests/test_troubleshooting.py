"""docs/troubleshooting.md has an entry for every message with which Python and Java main code refuses or judges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.raised_java import java_messages
from tests.raised_python import Message, python_messages

ROOT = Path(__file__).resolve().parents[2]
JAVA = ROOT / "java-samplers" / "src" / "main" / "java" / "io" / "shardload"
# Lists whose texts become reasons of a verdict.
REASONS = ("reasons", "differences", "open", "failures", "problems")
SHORTEST = 7
KINDS = "## Errors of calls"
# Texts within findings.
PARTS = (
    ", including the generator's own use",
    "encrypts without checking which server answers",
    "sends everything unencrypted, to any server that answers",
)


def page() -> str:
    return (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")


def patterns() -> list[str]:
    """Return the code spans of the first column of every entry."""
    cells = re.findall(r"^\| (`.*?`) \| ", page().split(KINDS)[0], re.M)
    return [span for cell in cells for span in re.findall(r"`(.+?)`", cell)]


def expression(pattern: str) -> re.Pattern[str]:
    """Three dots stand for anything."""
    return re.compile(".*".join(map(re.escape, pattern.replace(r"\|", "|").split("..."))), re.S)


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    return [*python_messages(ROOT / "taurus" / "shardload"), *java_messages(JAVA, *REASONS)]


def test_the_messages_are_found(messages: list[Message]) -> None:
    texts = {each.text for each in messages}
    assert len(texts) > 700
    assert {"is missing", "the environment variable … is not set"} < texts


def test_every_message_has_an_entry(messages: list[Message]) -> None:
    """Turned red by a pattern taken from the page, and by a new ConfigException."""
    known = [expression(pattern) for pattern in patterns()]
    open_ = sorted({f"{text}   ({place})" for text, place in messages if not any(k.search(text) for k in known)})
    assert open_ == [], "\n".join(["messages without an entry in docs/troubleshooting.md:", *open_])


def test_every_entry_is_about_a_message(messages: list[Message]) -> None:
    """Turned red by a misspelt pattern."""
    texts = [each.text for each in messages]
    assert [pattern for pattern in patterns() if not any(map(expression(pattern).search, texts))] == []


def test_patterns_say_something() -> None:
    """One that matches nearly everything would cover messages that have no entry."""
    assert [pattern for pattern in patterns() if len(pattern.replace("...", "")) < SHORTEST] == []
    assert sorted({pattern for pattern in patterns() if patterns().count(pattern) > 1}) == []


def test_every_finding_is_explained_in_the_page_of_results() -> None:
    """Turned red by a row taken from its table of findings."""
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", results.split("### Findings\n")[1].split("\n#")[0], re.M)
    known = [re.sub(r"\b(N|M|NAME)\b", "...", name) for row in rows for name in re.findall(r"`(.+?)`", row)]
    others = {each.text for each in java_messages(JAVA / "results")}
    findings = {each.text for each in java_messages(JAVA / "results", "findings")} - others - set(PARTS)
    assert len(findings) > 20
    assert sorted(text for text in findings if not any(expression(name).search(text) for name in known)) == []


def test_every_kind_of_error_has_a_row() -> None:
    """Turned red by a kind taken from the page, and by one added to it."""
    sources = {path: path.read_text(encoding="utf-8") for path in JAVA.rglob("*.java")}
    found = {"duplicate-key"}
    for path, text in sources.items():
        if path.match("driver/*/client/Failures.java"):
            found |= set(re.findall(r'(?:return|->|[?=:]) "([a-z]+(?:-[a-z]+)*-?)"', text))
            found |= set(re.findall(r'new CallFailure\("([a-z-]+)"', text))
        found |= set(re.findall(r'endUnknown\("([a-z-]+)"', text))
        found |= {a or b for a, b in re.findall(r'Outcome\.Failed\("([a-z-]+)"|"(not-prepared|planned-error)"', text)}
    rows = re.findall(r"^\| (`.*?`) \| ", page().split(KINDS)[1], re.M)
    named = {kind.replace("...", "") for row in rows for kind in re.findall(r"`(.+?)`", row)}
    assert named == found
