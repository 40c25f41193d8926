"""Words that CONTRIBUTING.md refuses, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tests.documents.texts import ROOT, Text, files, without_code

TABLE = re.compile(r"(?ms)^## Words\n.*?(?=^## |\Z)")
# In a table a bar of a pattern is written with a backslash before it.
_ROW = re.compile(r"^\|(?P<refused> `(?:\\\||[^|\n])*)\|(?P<instead>[^|\n]*)\|$", re.MULTILINE)


class Rule(NamedTuple):
    """A row of the table: the patterns that it refuses, and what to write instead."""

    patterns: list[str]
    instead: str

    @property
    def expression(self) -> re.Pattern[str]:
        """All patterns as one, which finds whole words only; one blank stands for any white space."""
        return re.compile(rf"(?:(?<![\w-])|(?=\W))(?:{'|'.join(self.patterns)})(?![\w-])", re.IGNORECASE)


def rules() -> list[Rule]:
    """Read the table."""
    (table,) = TABLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    return [
        Rule(re.findall(r"`([^`]+)`", row["refused"].replace(r"\|", "|")), row["instead"].strip())
        for row in _ROW.finditer(table)
    ]


def prose(text: Text) -> Text:
    """Leave out what is not prose of the project: names of code and the table itself."""
    content = text.text
    if text.path.name == "CONTRIBUTING.md":
        content = TABLE.sub(lambda match: "\n" * match.group().count("\n"), content)
    return text._replace(text=without_code(content))


def one_line(text: str) -> tuple[str, list[int]]:
    """Make each run of white space one blank; return with it the line, from 0, of each character."""
    made: list[str] = []
    lines: list[int] = []
    line = 0
    for part in re.findall(r"\s+|\S+", text):
        made.append(" " if part.isspace() else part)
        lines.extend([line] * len(made[-1]))
        line += part.count("\n")
    return "".join(made), lines


def hits(texts: Iterable[Text], among: Iterable[Rule]) -> list[str]:
    """Return where a refused word stands: file, line, what is written, and what to write instead."""
    compiled = [(rule.expression, rule.instead) for rule in among]
    found = set()
    for text in map(prose, texts):
        content, lines = one_line(text.text)
        for expression, instead in compiled:
            for match in expression.finditer(content):
                where = text.path.relative_to(ROOT), text.line + lines[match.start()]
                found.add((*where, f'"{match.group()}"; write {instead}'))
    return [f"{path}:{line}: {what}" for path, line, what in sorted(found)]


__all__ = ["Rule", "files", "hits", "one_line", "prose", "rules"]
