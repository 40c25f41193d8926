"""The parameters that a Jenkinsfile declares.

Jenkins replaces a job's parameters by those of its Jenkinsfile when the first build runs. The jobs therefore get the
same ones, read from the Jenkinsfile, so that the first build has them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from .problem import Problem

# Kinds of the declarative pipeline, and their names in jenkins-job-builder.
KINDS = {"string": "string", "booleanParam": "bool", "text": "text", "choice": "choice"}
Value = Union[str, bool, list[str]]

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r"'(?:[^'\\\n]|\\.)*'|\w+|[(){}\[\],:]")
_OF_THE_JOB = re.compile(r"^\s*// Parameters of the job: (\w+(?:, \w+)*)$", re.MULTILINE)
_BLOCK = re.compile(r"^\s*parameters\s*\{", re.MULTILINE)
_ARGUMENTS = {"name", "defaultValue", "description", "choices", "trim"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a build, with the value that it has unless somebody gives another."""

    kind: str
    name: str
    default: Value
    description: str
    trim: bool = False

    def to_yaml(self) -> dict[str, dict[str, Value]]:
        """Return the parameter as jenkins-job-builder writes it."""
        values: dict[str, Value] = {"name": self.name}
        values["choices" if self.kind == "choice" else "default"] = self.default
        values["description"] = self.description
        if self.trim:
            values["trim"] = True
        return {KINDS[self.kind]: values}


def read_parameters(jenkinsfile: Path) -> list[Parameter]:
    """Return the parameters in the order of the Jenkinsfile; anything that is not understood is a problem."""
    text = jenkinsfile.read_text(encoding="utf-8")
    found = _BLOCK.search(text)
    if found is None:
        raise Problem(f"{jenkinsfile}: no block parameters")
    return list(_Reader(jenkinsfile, text, found.end()).parameters())


def read_job_parameters(jenkinsfile: Path) -> list[str]:
    """Return the names that the Jenkinsfile uses and leaves to the job, as a comment lists them."""
    found = _OF_THE_JOB.search(jenkinsfile.read_text(encoding="utf-8"))
    return found[1].split(", ") if found else []


class _Reader:
    def __init__(self, path: Path, text: str, position: int) -> None:
        self._path = path
        self._text = text
        self._position = position

    def parameters(self) -> Iterator[Parameter]:
        while (kind := self._next()) != "}":
            if kind not in KINDS:
                raise self._problem(f"unknown kind of parameter {kind}")
            self._expect("(")
            yield self._parameter(kind, self._arguments())

    def _parameter(self, kind: str, given: dict[str, Value]) -> Parameter:
        default = given.get("choices" if kind == "choice" else "defaultValue")
        expected = {"choice": list, "booleanParam": bool}.get(kind, str)
        if default is None or not isinstance(given.get("name"), str) or not isinstance(default, expected):
            raise self._problem(f"a {kind} needs a name and a default of its kind")
        return Parameter(
            kind, str(given["name"]), default, str(given.get("description", "")), given.get("trim") is True
        )

    def _arguments(self) -> dict[str, Value]:
        given: dict[str, Value] = {}
        while True:
            name = self._next()
            if name not in _ARGUMENTS or name in given:
                raise self._problem(f"unexpected argument {name}")
            self._expect(":")
            given[name] = self._value(self._next())
            if (after := self._next()) == ")":
                return given
            if after != ",":
                raise self._problem(f"expected , or ) and found {after}")

    def _value(self, token: str) -> Value:
        if token == "[":
            items = [self._literal(self._next())]
            while (after := self._next()) == ",":
                items.append(self._literal(self._next()))
            if after != "]":
                raise self._problem(f"expected , or ] and found {after}")
            return items
        return token == "true" if token in ("true", "false") else self._literal(token)

    def _literal(self, token: str) -> str:
        if not token.startswith("'"):
            raise self._problem(f"expected a text in single quotes and found {token}")
        return re.sub(r"\\(.)", r"\1", token[1:-1])

    def _expect(self, token: str) -> None:
        if (found := self._next()) != token:
            raise self._problem(f"expected {token} and found {found}")

    def _next(self) -> str:
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position
        found = _TOKEN.match(self._text, self._position)
        if found is None:
            raise self._problem(f"not understood: {self._text[self._position : self._position + 20]!r}")
        self._position = found.end()
        return found[0]

    def _problem(self, what: str) -> Problem:
        return Problem(f"{self._path}:{self._text.count(chr(10), 0, self._position) + 1}: {what}")
