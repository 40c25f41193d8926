"""Which metrics an expression names."""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|(?P<comment>\#.*)|(?P<window>\[[^\]]*\])"""
    r"""|(?P<number>\d[\w.]*)|(?P<name>[A-Za-z_:][\w:.]*)|(?P<sign>=~|!~|!=|[^\s\w])"""
)
GROUPINGS = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = {"and", "or", "unless", "offset", "bool", "atan2", "inf", "nan", "start", "end", *GROUPINGS}


def tokens(expression: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of all tokens but comments and windows."""
    found = [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(expression)]
    return [token for token in found if token[0] not in ("comment", "window")]


def metrics(expression: str) -> set[str]:
    """Return the names of the metrics; names within label matchers and groupings are none."""
    return set(_metrics(tokens(expression)))


def _metrics(found: list[tuple[str, str]]) -> Iterator[str]:
    position = 0
    while position < len(found):
        kind, text = found[position]
        following = found[position + 1][1] if position + 1 < len(found) else ""
        if text == "{":
            end = _end(found, position, "}")
            yield from _named(found[position:end])
            position = end
        elif kind == "name" and text.lower() in GROUPINGS and following == "(":
            position = _end(found, position, ")")
        elif kind == "name" and text.lower() not in WORDS and following.lower() not in ("(", "by", "without"):
            yield text
        position += 1


def _end(found: list[tuple[str, str]], position: int, closing: str) -> int:
    return next((at for at in range(position, len(found)) if found[at][1] == closing), len(found))


def _named(matchers: list[tuple[str, str]]) -> Iterator[str]:
    for label, sign, value in zip(matchers, matchers[1:], matchers[2:]):
        if label[1] == "__name__" and sign[1] == "=":
            yield value[1][1:-1]
