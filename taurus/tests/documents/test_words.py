"""The words that CONTRIBUTING.md refuses stand in no text that people read."""

from __future__ import annotations

from tests.documents.texts import ROOT, Text, of_documents, of_sources
from tests.documents.words import hits, rules


def test_no_refused_word_is_in_a_document() -> None:
    assert hits(of_documents(), rules()) == []


def test_no_refused_word_is_in_help_messages_report_and_comments() -> None:
    assert hits(of_sources(), rules()) == []


def test_the_table_is_read() -> None:
    table = rules()
    assert len(table) > 25
    assert all(rule.patterns and rule.instead for rule in table)
    assert not any(rule.expression.search("") for rule in table)
    # A row that the reader does not understand would refuse nothing.
    written = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Words\n")[2].partition("\n## ")[0]
    assert len(table) == sum(line.startswith("| ") for line in written.splitlines()) - 1


def test_what_to_write_instead_is_not_refused_itself() -> None:
    assert hits([Text(ROOT / "docs" / "page.md", 1, rule.instead) for rule in rules()], rules()) == []
