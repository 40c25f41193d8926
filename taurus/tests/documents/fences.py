"""The examples of the documents: which are run, and the commands of shardload in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.documents.texts import files

SHELLS = ("sh", "bash", "shell", "console")
_FENCE = re.compile(r"(?ms)^(?P<indent>[ \t]*)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^[ \t]*```[ \t]*$")
_MARK = re.compile(r"^<!-- not run:(?P<reason>.*)-->$")
_NAMED = re.compile(r"`(?P<file>[\w-]+/[\w/.-]+\.(?P<ending>sql|json|yml))`$", re.MULTILINE)
_LANGUAGES = {"sql": ("sql",), "json": ("json",), "yml": ("yaml", "yml")}
# Where a command of a line ends.
_ENDS = ("|", "||", "&&", ";", "&", ")", "(", "<(", "then", "do")


class Fence(NamedTuple):
    """One example, with the reason why it is not run, or an empty text."""

    page: Path
    line: int
    language: str
    reason: str
    text: str

    @property
    def where(self) -> str:
        """Return page and line, for messages."""
        return f"{self.page.name}:{self.line}"


def pages() -> list[Path]:
    """Return the pages of which the commands are run."""
    return files("README.md", "docs/*.md")


def fences_of(page: Path) -> list[Fence]:
    """Return all examples of a page. A mark is the line before an example."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2].strip()
        mark = _MARK.match(before)
        indent = match["indent"]
        body = "".join(
            line.removeprefix(indent) if indent else line for line in match["text"].splitlines(keepends=True)
        )
        line = text.count("\n", 0, match.start()) + 1
        found.append(Fence(page, line, match["language"], mark["reason"].strip() if mark else "", body))
    return found


def shell_fences(page: Path) -> list[Fence]:
    """Return the examples that a reader types into a shell."""
    return [fence for fence in fences_of(page) if fence.language in SHELLS]


def written(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each file that the page has its reader write, with its content.

    A line that ends with the path in backticks names it; the content is the next example in the language of the file.
    """
    text = page.read_text(encoding="utf-8")
    examples = fences_of(page)
    for match in _NAMED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        after = (each for each in examples if each.line > line and each.language in _LANGUAGES[match["ending"]])
        example = next(after, None)
        if example is not None:
            yield match["file"], example.text


def lines_of(text: str) -> list[str]:
    """Return the lines as the shell sees them: continued ones joined, comments and blank ones left out."""
    joined = text.replace("\\\n", " ").splitlines()
    return [line.strip() for line in joined if line.strip() and not line.lstrip().startswith("#")]


def words_of(line: str) -> list[str]:
    """Split a line into words and operators; a comment ends it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.wordchars += "@%:,{}[]$+!^"
    return list(lexer)


def programs(text: str) -> set[str]:
    """Return the names of all programs that an example calls, as far as its words show."""
    found = set()
    for line in lines_of(text):
        is_first = True
        for word in words_of(line):
            if word in _ENDS:
                is_first = True
            elif is_first and not re.match(r"\w+=", word):
                found.add(word.rpartition("/")[2])
                is_first = False
    return found


def commands(text: str) -> list[list[str]]:
    """Return the arguments of every call of shardload in an example."""
    found = []
    for line in lines_of(text):
        words = words_of(line)
        for at, word in enumerate(words):
            if word.rpartition("/")[2] != "shardload" or (at and not _begins(words[at - 1])):
                continue
            rest = words[at + 1 :]
            end = next((i for i, each in enumerate(rest) if each in _ENDS or set(each) <= set("<>&")), len(rest))
            found.append(rest[:end])
    return found


def _begins(before: str) -> bool:
    """Whether a command may follow a word: an operator, a variable's value, or a program that calls another."""
    return before in _ENDS or bool(re.match(r"\w+=", before)) or before.startswith("/")
