"""What people read of the project: its documents, messages, help, report, comments and docstrings, by file and line."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "clusters/README.md",
    "docs/*.md",
    ".github/**/*.md",
)
PYTHON = ("taurus/shardload/**/*.py", "grafana/source/**/*.py", "jenkins/source/**/*.py")
JAVA = ("java-samplers/src/main/**/*.java", "jenkins/checks/src/main/**/*.java")
SCRIPTS = ("java-samplers/src/main/**/*.js", "Jenkinsfile", "jenkins/*.Jenkinsfile")
# All of their text is read: there is little else in them.
WHOLE = (
    "shardload",
    "taurus/*.yml",
    "taurus/targets/*.yml",
    "taurus/profiles/*.yml",
    "taurus/workloads/**/*.yml",
    "taurus/scaffold/**/*",
    "taurus/schemas/*.json",
    "taurus/tests/run.sh",
    "taurus/workloads/*/schema/**/*.sql",
    "clusters/**/*.yml",
    ".github/**/*.yml",
)

_CODE = re.compile(r"`[^`\n]*`|\{@(?:code|link|linkplain|value)\b[^{}]*\}|<code>.*?</code>")
# A text block, a comment, or a string of one line in Java, Groovy and JavaScript.
_PARTS = re.compile(
    r'"""(?P<block>.*?)"""'
    r"|(?P<line>(?:(?<=\n)|^)[ \t]*//[^\n]*(?:\n[ \t]*//[^\n]*)*|//[^\n]*)"
    r"|/\*(?P<comment>.*?)\*/"
    r'|(?P<strings>"(?:\\.|[^"\\\n])*"(?:\s*\+\s*"(?:\\.|[^"\\\n])*")*)'
    r"|'(?P<single>(?:\\.|[^'\\\n])*)'"
    r"|`(?P<template>(?:\\.|[^`\\])*)`",
    re.DOTALL,
)


class Text(NamedTuple):
    """A piece of text, and the line of its file on which it begins."""

    path: Path
    line: int
    text: str


def files(*patterns: str) -> list[Path]:
    """Return the files of the project that match one of the patterns."""
    found = (path for pattern in patterns for path in ROOT.glob(pattern))
    return sorted({path for path in found if path.is_file() and "__pycache__" not in path.parts})


def without_code(text: str) -> str:
    """Replace what stands in backticks and the like: names of code are no words."""
    return _CODE.sub(lambda match: "X" + "\n" * match.group().count("\n"), text)


def of_python(path: Path) -> Iterator[Text]:
    """Yield the strings, joined where the compiler joins them, and the comments, those on consecutive lines as one."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield Text(path, node.lineno, node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield Text(path, node.lineno, "".join(map(str, parts)))
    block: list[str] = []
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line.lstrip().startswith("#")
            if block and not (alone and token.start[0] == last + 1):
                yield Text(path, last - len(block) + 1, "\n".join(block))
                block = []
            block.append(token.string.lstrip("# "))
            last = token.start[0]
    if block:
        yield Text(path, last - len(block) + 1, "\n".join(block))


def of_braces(path: Path) -> Iterator[Text]:
    """Yield the strings, joined over a plus, and the comments of a Java, Groovy or JavaScript file."""
    source = path.read_text(encoding="utf-8")
    for match in _PARTS.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        text = match.group(match.lastgroup or 0)
        if match.lastgroup == "strings":
            # The lines between the joined strings stay, so that a hit has its line.
            text = re.sub(r'"(\s*)\+(\s*)"', lambda joined: re.sub(r"[^\n]", "", joined.group()), text)[1:-1]
        elif match.lastgroup in ("line", "comment"):
            text = re.sub(r"(?m)^[ \t]*(?://+|\*)", "", text)
        yield Text(path, line, text)


def of_documents() -> Iterator[Text]:
    """Yield the pages of documentation."""
    for path in files(*DOCUMENTS):
        yield Text(path, 1, path.read_text(encoding="utf-8"))


def of_sources() -> Iterator[Text]:
    """Yield the messages, help, comments and docstrings of the program itself, not of its tests."""
    for path in files(*PYTHON):
        yield from of_python(path)
    for path in files(*JAVA, *SCRIPTS):
        yield from of_braces(path)
    for path in files(*WHOLE):
        yield Text(path, 1, re.sub(r"(?m)^[ \t]*(?:#|--)", "", path.read_text(encoding="utf-8")))
