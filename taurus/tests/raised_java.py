"""The messages with which the Java code refuses something, read from its sources as the formatter leaves them.

A message is a text inside an exception that reaches users, or what a method puts into one. What is only known at run
time is ``…`` in it. A method that passes a parameter on makes its callers' arguments messages too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.raised_python import HOLE, Message, is_prose

# Exceptions whose text reaches the user's terminal, log or report; the others tell of a mistake in the code.
SHOWN = {
    "CallFailure",
    "ConfigException",
    "Damaged",
    "DamagedException",
    "EmbeddedServerException",
    "FileNotFoundException",
    "GapException",
    "HostsException",
    "IOException",
    "Malformed",
    "RangesLostException",
    "RedisException",
    "Refused",
    "StoreException",
    "Unfit",
    "UnknownException",
    "UnreadableJournalException",
    "UnverifiableException",
    "WireException",
    "WrongDataException",
}
MEMBER = re.compile(r"^(?:  ){1,3}(?! )(?!return |throw |new |else |if )[\w<>\[\], .?@]*?\b(\w+)\(", re.M)
TOKEN = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\])*"|//[^\n]*|/\*(?:.|\n)*?\*/|\'(?:\\.|[^\'\\])+\'', re.M)
FORMAT = re.compile(r"%(?:\d+\$)?[-+0,]*\d*(?:\.\d+)?[a-zA-Z]")


class Member(NamedTuple):
    """A method, or a constructor: its name, the names of its parameters of type String, its position and text."""

    name: str
    texts: dict[str, int]
    start: int
    text: str


class Source:
    """A file: its texts are blanked in ``code``, so that brackets and words in it are those of the language."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.raw = path.read_text(encoding="utf-8")
        self.code = TOKEN.sub(_blank, self.raw)
        self.members = list(self._members())

    def _members(self) -> Iterator[Member]:
        for found in MEMBER.finditer(self.code):
            close = _closing(self.code, found.end() - 1)
            brace = re.compile(r"[^;{}=]*\{").match(self.code, close + 1)
            if brace is None:
                continue
            end = _closing(self.code, brace.end() - 1)
            parameters = _split(self.code[found.end() : close])
            texts = {part.split()[-1]: i for i, part in enumerate(parameters) if re.search(r"\bString\b", part)}
            yield Member(found.group(1), texts, found.start(), self.code[found.start() : end])

    def member_at(self, position: int) -> Member | None:
        """Return the innermost method around a position."""
        around = [each for each in self.members if each.start <= position < each.start + len(each.text)]
        return around[-1] if around else None


class JavaCode:
    """All sources of a folder."""

    def __init__(self, root: Path, lists: Sequence[str] = ()) -> None:
        self.lists = set(lists)
        self.sources = [Source(path) for path in sorted(root.rglob("*.java"))]
        # By file name and method: which arguments become a message. "" stands for every file.
        self.carriers: dict[tuple[str, str], set[int]] = {}

    def messages(self) -> list[Message]:
        """Return every message, once for each place."""
        while self._more_carriers():
            pass
        found: dict[tuple[str, str], None] = {}
        for source in self.sources:
            for start, end in self._expressions(source):
                line = source.raw.count("\n", 0, start) + 1
                for text in self._texts(source, start, end, set()):
                    found[text, f"{source.path.name}:{line}"] = None
        return [Message(text, place) for text, place in found]

    def _expressions(self, source: Source) -> Iterator[tuple[int, int]]:
        """Find the arguments of the exceptions, and of the methods that pass theirs on."""
        for call in re.finditer(r"\bnew (\w+)\(|(?:\b(\w+)\.)?\b(\w+)\(", source.code):
            close = _closing(source.code, call.end() - 1)
            if call.group(1):
                if call.group(1) in SHOWN or call.group(1)[0].islower():
                    yield call.end(), close
                continue
            if call.group(2) in self.lists and call.group(3) == "add":
                yield call.end(), close
                continue
            where = call.group(2) if call.group(2) and call.group(2)[0].isupper() else source.path.stem
            wanted = self.carriers.get((where, call.group(3)), set())
            if wanted and not source.code[close + 1 : close + 3].strip().startswith("{"):
                for i, (start, end) in enumerate(_spans(source.code, call.end(), close)):
                    if i in wanted:
                        yield start, end

    def _more_carriers(self) -> bool:
        before = sum(map(len, self.carriers.values()))
        for source in self.sources:
            for start, end in self._expressions(source):
                member = source.member_at(start)
                words = set(re.findall(r"(?<![.\w])[a-z]\w*(?!\()", source.code[start:end]))
                for name, position in member.texts.items() if member else ():
                    if name in words:
                        self.carriers.setdefault((source.path.stem, member.name), set()).add(position)
        return sum(map(len, self.carriers.values())) > before

    def _texts(self, source: Source, start: int, end: int, seen: set[int]) -> Iterator[str]:
        """Return the prose of an expression: literals next to each other are one text, with holes between."""
        if start in seen:
            return
        seen.add(start)
        for left, right in _spans(source.code, start, end):
            yield from self._joined(source, left, right)
            yield from self._elsewhere(source, left, right, seen)

    def _joined(self, source: Source, start: int, end: int) -> Iterator[str]:
        text, position, depth = "", start, 0
        for found in re.finditer(r'"(?:[^"]*)"|[()]|\?|(?<!:):(?!:)|->|,|;', source.code[start:end]):
            at = start + found.start()
            between = source.code[position:at].replace("+", " ").strip()
            if between and not text.endswith(HOLE):
                text += HOLE
            token = found.group()
            position = start + found.end()
            if token[0] == '"':
                text += _plain(source.raw[at : start + found.end()])
            elif token in "()":
                depth += 1 if token == "(" else -1
            else:
                yield text
                text = ""
        yield text + (HOLE if source.code[position:end].strip() else "")

    def _elsewhere(self, source: Source, start: int, end: int, seen: set[int]) -> Iterator[str]:
        """Yield what local variables of the expression hold, and what methods of the same file answer."""
        code = source.code[start:end]
        member = source.member_at(start)
        for name in set(re.findall(r"(?<![.\w])[a-z]\w*(?![\w(])", code)):
            pattern = re.compile(rf"\b(?:String|var) {name} =|(?<![\w.]){name} \+?=(?!=)")
            for found in pattern.finditer(member.text if member else ""):
                begin = member.start + found.end()
                yield from self._texts(source, begin, source.code.index(";", begin), seen)
        for name in set(re.findall(r"(?<![.\w])([a-z]\w*)\(", code)):
            for other in source.members:
                if other.name == name and re.search(rf"\bString {name}\(", other.text[:200]):
                    for found in re.finditer(r"\b(?:return|yield|->) ?", other.text):
                        begin = other.start + found.end()
                        yield from self._texts(source, begin, source.code.index(";", begin), seen)


def _blank(found: re.Match[str]) -> str:
    """Keep the length and the lines; a literal stays a literal without brackets and signs."""
    text = found.group()
    if text[0] == '"':
        inner = "".join("\n" if char == "\n" else "_" for char in text[1:-1])
        return f'"{inner}"'
    return "".join("\n" if char == "\n" else " " for char in text)


def _closing(code: str, opening: int) -> int:
    pairs = {"(": ")", "{": "}"}
    depth, (one, other) = 0, (code[opening], pairs[code[opening]])
    for found in re.compile(f"[{re.escape(one + other)}]").finditer(code, opening):
        depth += 1 if found.group() == one else -1
        if depth == 0:
            return found.start()
    return len(code)


def _spans(code: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a list of arguments."""
    spans, depth, begin = [], 0, start
    for at in range(start, end):
        char = code[at]
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            spans.append((begin, at))
            begin = at + 1
    return [*spans, (begin, end)] if begin < end else spans


def _split(code: str) -> list[str]:
    return [code[left:right].strip() for left, right in _spans(code, 0, len(code)) if code[left:right].strip()]


def _plain(literal: str) -> str:
    text = literal[1:-1].replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
    return re.sub(r"\s+", " ", FORMAT.sub(HOLE, text).replace("%%", "%"))


def java_messages(root: Path, *lists: str) -> list[Message]:
    """Return the messages of all files of a folder, with what is added to lists of these names, if they are prose."""
    return [each for each in JavaCode(root, lists).messages() if is_prose(each.text)]
