"""The words that CONTRIBUTING.md refuses stand in no text that people read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.texts import ROOT, Text, files, of_braces, of_documents, of_python, of_sources
from tests.documents.words import Rule, hits, prose, rules

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


@pytest.mark.parametrize("text", ["there is no number", "is no longer", "`anew`", "{@code anew}", "x-anew", "anewly"])
def test_code_other_words_and_exceptions_are_not_found(text: str) -> None:
    assert found(text) == []


def test_the_table_itself_is_not_read_as_prose() -> None:
    page = Text(ROOT / "CONTRIBUTING.md", 1, "# A\nanew\n\n## Words\nanew\n\n## B\nanew\n")
    assert prose(page).text == "# A\nanew\n\n\n\n## B\nanew\n".replace("\n\n\n\n", "\n" * 5)
    assert len(hits([page], [BLANKS])) == 2


def test_python_gives_strings_as_the_compiler_joins_them_docstrings_and_comments(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text(
        '"""Of a file."""\n# one\n# two\nA = 1  # three\nB = ("four "\n  "five")\nC = f"six {A} seven"\nanew = 2\n'
    )
    texts = sorted((text.line, text.text) for text in of_python(source))
    assert texts == [(1, "Of a file."), (2, "one\ntwo"), (4, "three"), (5, "four five"), (7, "six X seven")]


def test_java_and_javascript_give_strings_joined_over_a_plus_and_comments(tmp_path: Path) -> None:
    source = tmp_path / "A.java"
    lines = [
        "/** One",
        " * two. */",
        "void a() {",
        "  // three",
        "  // four",
        '  b("five "',
        '      + "\\"six\\"", \'"\', """',
        '  seven""");',
        "}",
        "c(`eight // ${d}`);",
    ]
    source.write_text("\n".join(lines))
    assert [(text.line, " ".join(text.text.split())) for text in of_braces(source)] == [
        (1, "One two."),
        (4, "three four"),
        (6, 'five \\"six\\"'),
        (7, '"'),
        (7, "seven"),
        (10, "eight // ${d}"),
    ]


def test_all_kinds_of_files_are_found() -> None:
    read = {text.path.relative_to(ROOT).as_posix() for text in [*of_documents(), *of_sources()]}
    assert len(read) > 1000
    assert {"README.md", "CHANGELOG.md", "docs/install.md", "Jenkinsfile", "shardload", "taurus/base.yml"} <= read
    for end in ("report/main.js", "options/bundles.py", "sampler/TransactionSampler.java", "target.schema.json"):
        assert any(path.endswith(end) for path in read), end
    assert len(files("docs/*.md")) == len(list((ROOT / "docs").glob("*.md")))
