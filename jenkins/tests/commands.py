"""Command lines of ./shardload: those of workflows, .gitlab-ci.yml and the documentation's shell blocks."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from shardload.cli import build_parser
from shardload.usage import without_empty

from tests.checkout import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / ".gitlab-ci.yml"
PAGE = ROOT / "docs" / "jenkins.md"
FILES = (*WORKFLOWS, GITLAB, PAGE)

# A value for each variable that a command line names.
VALUES = {
    "TARGET": "citus",
    "JOB_BASE_NAME": "citus",
    "COMPARE_WITH": "ferretdb",
    "WORKLOAD": "document-store",
    "PROFILE": "steady",
    "LOAD_HOSTS": "10.9.0.2,10.9.0.3",
    "THROUGHPUT": "300",
    "TEST_TIME": "90s",
    "DOCUMENT_SIZE": "4KiB",
    "SEED": "7",
    "REPEAT": "3",
    "EXTRA": "execution.0.warm-up=1s",
    "SHARDLOAD_STORE_URL": "http://127.0.0.1:8428",
    "PART": "java",
    "INDEX": "schema.index=hash,btree",
    "STORAGE": "",
    "DOCUMENT_SIZE_WITHOUT_TOAST": "",
}
# Never empty.
_ALWAYS_GIVEN = {"TARGET", "JOB_BASE_NAME", "SHARDLOAD_STORE_URL", "PART"}
# As on the first build of a job.
NOTHING = {name: value if name in _ALWAYS_GIVEN else "" for name, value in VALUES.items()}

_COMMAND = re.compile(r"\./shardload (?:[^\n\\']|\\\n)*")
_SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = re.compile(r"\|\||&&|[;<>|]")
_VARIABLE = re.compile(r'"\$\{?(\w+)\}?"')


@functools.cache
def _parser() -> argparse.ArgumentParser:
    """Make it once: that takes longer than all its uses."""
    return build_parser()


@dataclass(frozen=True)
class Command:
    """One call of ./shardload."""

    file: str
    text: str

    @property
    def verb(self) -> str:
        return self.text.split()[0]

    @property
    def variables(self) -> list[str]:
        return _VARIABLE.findall(self.text)

    @property
    def is_quoted(self) -> bool:
        """Tell whether each variable stands in double quotes, so that a shell takes its value as one word."""
        return "$" not in _VARIABLE.sub("", self.text)

    def refusal(self, values: dict[str, str]) -> str:
        """Return what the parser of the command line says where the variables have these values, or nothing."""
        parser, said = _parser(), io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                parser.parse_args(without_empty(self._words(values), parser))
        except SystemExit as end:
            return "" if end.code == 0 else " ".join(said.getvalue().split())
        return ""

    def _words(self, values: dict[str, str]) -> list[str]:
        return [
            values.get(word[2:], word) if word.startswith("$$") else word
            for word in shlex.split(self._marked(), comments=True)
        ]

    def _marked(self) -> str:
        return _VARIABLE.sub(r"$$\1", self.text)


def commands_of(path: Path) -> list[Command]:
    """Return the calls of ./shardload in a file, those in comments aside; of a page, those in its shell blocks."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = "\n".join(_SHELL_BLOCK.findall(text))
    found = []
    for match in _COMMAND.finditer(text):
        before = text[: match.start()].rpartition("\n")[2].lstrip()
        if not before.startswith(("#", "//")):
            command = _END.split(match[0].replace("\\\n", " "), maxsplit=1)[0]
            found.append(Command(path.name, " ".join(command.removeprefix("./shardload ").split())))
    return found
