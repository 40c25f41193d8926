"""Links and pictures of the documents, and the headings that anchors lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.documents.texts import ROOT, files

_FENCE = re.compile(r"(?ms)^(?P<mark>```+|~~~+)[^\n]*\n.*?^(?P=mark)[ \t]*$")
# [text](where "title"), ![text](where), [name]: where, and the same in HTML.
_LINKS = re.compile(
    r"\]\(\s*<?(?P<inline>[^\s)>]+)|^ {0,3}\[[^\]]+\]:\s+<?(?P<reference>[^\s>]+)|(?:src|href)=\"(?P<html>[^\"]+)\"",
    re.M,
)
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


class Link(NamedTuple):
    """A link of a page, and the line on which it stands."""

    page: Path
    line: int
    where: str


def blank(match: re.Match[str]) -> str:
    """Keep the lines of what is cut out."""
    return "\n" * match.group().count("\n")


def without_fences(text: str) -> str:
    """Leave out the examples, in which a number sign begins no heading and a bracket no link."""
    return _FENCE.sub(blank, text)


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them; a repeated one gets a number."""
    found: set[str] = set()
    for heading in _HEADING.findall(without_fences(text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while (slug if number == 0 else f"{slug}-{number}") in found:
            number += 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found


def links(page: Path) -> Iterator[Link]:
    """Yield the links of a page that lead to a file of the project or a heading, those in examples left out."""
    text = re.sub(r"`[^`\n]*`", "", without_fences(page.read_text(encoding="utf-8")))
    for match in _LINKS.finditer(text):
        where = match["inline"] or match["reference"] or match["html"]
        if not _ELSEWHERE.match(where):
            yield Link(page, text.count("\n", 0, match.start()) + 1, where)


def broken(link: Link) -> str:
    """Return what is wrong with a link; empty if it leads somewhere."""
    path, _, anchor = link.where.partition("#")
    target = (link.page.parent / path).resolve() if path else link.page
    if not target.exists():
        return f"{path} does not exist"
    if path and not target.is_relative_to(ROOT.resolve()):
        return f"{path} is outside of the project"
    if anchor and (target.suffix != ".md" or anchor not in anchors(target.read_text(encoding="utf-8"))):
        return f"{target.name} has no heading #{anchor}"
    return ""


def reached(start: Path) -> set[Path]:
    """Return the files that a reader finds by links from a page on."""
    found, due = set(), [start]
    while due:
        page = due.pop()
        if page in found or not page.exists():
            continue
        found.add(page)
        if page.suffix == ".md":
            due.extend((page.parent / link.where.partition("#")[0]).resolve() for link in links(page))
    return found


__all__ = ["Link", "anchors", "broken", "files", "links", "reached", "without_fences"]
