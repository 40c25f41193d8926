"""The words that CONTRIBUTING.md refuses stand in no text that people read."""

from __future__ import annotations

from tests.documents.texts import ROOT, Text, files, of_documents, of_sources
from tests.documents.words import Rule, hits, rules

BLANKS = Rule([r"(?<!there )is no (?!longer)[a-z]+", "anew", r"[,;] for it"], "something else")


def found(text: str) -> list[str]:
    return hits([Text(ROOT / "docs" / "page.md", 7, text)], [BLANKS])


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


def test_a_word_is_found_over_lines_with_its_line_and_its_replacement() -> None:
    assert found("One.\nThis is\n no number. Made Anew\n") == [
        'docs/page.md:8: "is no number"; write something else',
        'docs/page.md:9: "Anew"; write something else',
    ]
    assert found("It waits, for it must.") == ['docs/page.md:7: ", for it"; write something else']


def test_all_kinds_of_files_are_found() -> None:
    read = {text.path.relative_to(ROOT).as_posix() for text in [*of_documents(), *of_sources()]}
    assert len(read) > 1000
    assert {"README.md", "CHANGELOG.md", "docs/install.md", "Jenkinsfile", "shardload", "taurus/base.yml"} <= read
    for end in ("report/main.js", "options/bundles.py", "sampler/TransactionSampler.java", "target.schema.json"):
        assert any(path.endswith(end) for path in read), end
    assert len(files("docs/*.md")) == len(list((ROOT / "docs").glob("*.md")))
