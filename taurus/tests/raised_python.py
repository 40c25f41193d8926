"""The messages with which the Python code refuses something, read from its syntax trees.

A message is the text of an exception for users, or of a problem that becomes one. What is only known at run time is
``…`` in it. A function that passes a parameter on as a message makes its callers' arguments messages too.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Union

HOLE = "…"
MOST_VARIANTS = 12
DEEPEST = 6
# Whose first argument users read.
SINKS = {"Problem", "ChildError", "Failed", "NotApplicable", "ArgumentError", "ArgumentTypeError", "error", "refuse"}
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Message(NamedTuple):
    """A message and the place that it stands at."""

    text: str
    place: str


class Code:
    """All functions of some files, by name."""

    def __init__(self, root: Path) -> None:
        self.trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.py"))}
        self.functions: dict[str, list[Function]] = defaultdict(list)
        self.scope: dict[ast.AST, Function] = {}
        for tree in self.trees.values():
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.functions[node.name].append(node)
                    self.scope.update((inner, node) for inner in ast.walk(node) if inner is not node)
        self.carriers: dict[str, set[int]] = {name: {0} for name in SINKS}

    def messages(self) -> list[Message]:
        """Return every message, once for each place."""
        while self._more_carriers():
            pass
        found: dict[tuple[str, str], None] = {}
        for path, tree in self.trees.items():
            for argument in self._arguments(tree):
                for text in self._texts(argument, self.scope.get(argument)):
                    found[text, f"{path.name}:{argument.lineno}"] = None
        return [Message(text, place) for text, place in found]

    def _arguments(self, tree: ast.AST) -> Iterator[ast.expr]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (wanted := self.carriers.get(_name(node))):
                for position, argument in enumerate(node.args):
                    if position in wanted:
                        yield argument

    def _more_carriers(self) -> bool:
        """Find functions that pass a parameter on as a message, or a part of one; true if there are new ones."""
        before = sum(map(len, self.carriers.values()))
        for tree in self.trees.values():
            for argument in self._arguments(tree):
                function = self.scope.get(argument)
                if function is None or function.name == "__init__":
                    continue
                names = {inner.id for inner in ast.walk(argument) if isinstance(inner, ast.Name)}
                parameters = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
                for position, each in enumerate(parameters):
                    if each in names and _is_text(function, each):
                        self.carriers.setdefault(function.name, set()).add(position)
        return sum(map(len, self.carriers.values())) > before

    def _texts(self, node: ast.expr, scope: Function | None, depth: int = 0) -> list[str]:
        """Return the variants of an expression's text."""
        if depth > DEEPEST:
            return [HOLE]
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else [HOLE]
        parts: list[list[str]] = []
        if isinstance(node, ast.JoinedStr):
            parts = [self._texts(part, scope, depth + 1) for part in node.values]
        elif isinstance(node, ast.FormattedValue):
            return self._texts(node.value, scope, depth + 1)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self._texts(node.left, scope, depth + 1), self._texts(node.right, scope, depth + 1)]
        elif isinstance(node, ast.IfExp):
            return self._texts(node.body, scope, depth + 1) + self._texts(node.orelse, scope, depth + 1)
        elif isinstance(node, ast.BoolOp):
            return [text for value in node.values for text in self._texts(value, scope, depth + 1)]
        elif isinstance(node, ast.Name) and scope is not None:
            return self._assigned(node.id, scope, depth)
        elif isinstance(node, ast.Call):
            return self._returned(node, depth)
        return _joined(parts) if parts else [HOLE]

    def _assigned(self, name: str, scope: Function, depth: int) -> list[str]:
        """Return what a local variable may hold."""
        texts = []
        for node in ast.walk(scope):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                texts += self._texts(node.value, scope, depth + 1)  # type: ignore[attr-defined]
        return list(dict.fromkeys(texts))[:MOST_VARIANTS] or [HOLE]

    def _returned(self, call: ast.Call, depth: int) -> list[str]:
        """Return what a function of the package answers, if that is prose."""
        texts = []
        for function in self.functions.get(_name(call), []):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    texts += self._texts(node.value, function, depth + 1)
        prose = [text for text in texts if " " in text.strip()]
        return list(dict.fromkeys(prose))[:MOST_VARIANTS] or [HOLE]


def _joined(parts: list[list[str]]) -> list[str]:
    """Return all combinations, or with many of them each variant beside the first ones of the others."""
    count = 1
    for part in parts:
        count *= len(part)
    if count <= MOST_VARIANTS:
        return ["".join(combination) for combination in itertools.product(*parts)]
    firsts = [part[0] for part in parts]
    rows = [[*firsts[:i], text, *firsts[i + 1 :]] for i, part in enumerate(parts) for text in part]
    return list(dict.fromkeys("".join(row) for row in rows))


def _name(call: ast.Call) -> str:
    target = call.func
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""


def _is_text(function: Function, parameter: str) -> bool:
    annotation = next(each.annotation for each in function.args.args if each.arg == parameter)
    return annotation is None or "str" in ast.unparse(annotation) or "object" in ast.unparse(annotation)


def is_prose(text: str) -> bool:
    """Whether a text has two words next to each other, so that it is no key, format or pattern."""
    return re.search(r"[A-Za-z]{2,}[^A-Za-z… ]* [^A-Za-z… ]*[A-Za-z]{2,}", text) is not None


def python_messages(root: Path) -> list[Message]:
    """Return the messages of all files of a folder, if they are prose."""
    return [each for each in Code(root).messages() if is_prose(each.text)]
