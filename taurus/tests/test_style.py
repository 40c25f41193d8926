"""Rules on the text of the sources that neither ruff nor mypy knows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TAURUS = Path(__file__).resolve().parents[1]
# Each folder: the longest file and the longest function in it. A test lists cases, or follows one course to its end;
# a row of a dashboard lists its panels.
LONGEST = {
    "shardload": (500, 60),
    "tests": (500, 60),
    "../grafana/checks": (500, 60),
    "../grafana/preview": (500, 60),
    "../grafana/source": (500, 75),
    "../grafana/tests": (500, 60),
    "../jenkins/source": (500, 60),
    "../jenkins/tests": (500, 60),
}
# The shell: the launcher, and the parts of it that run the tests.
SCRIPTS = (TAURUS.parent / "shardload", TAURUS / "tests" / "run.sh", TAURUS / "tests" / "tools.sh")
LONGEST_SCRIPT = 500


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def long_functions(source: str, limit: int) -> list[str]:
    """Return the functions whose body, from its first statement to its last, has more lines than the limit."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            count = (node.end_lineno or 0) - node.body[0].lineno + 1
            if count > limit:
                found.append(f"{node.lineno}: {node.name}, {count} lines")
    return found


@pytest.mark.parametrize("folder", LONGEST)
def test_files_and_functions_are_short_enough_to_read(folder: str) -> None:
    longest_file, longest_function = LONGEST[folder]
    sources = sorted((TAURUS / folder).rglob("*.py"))
    assert len(sources) > (20 if folder in ("shardload", "tests") else 2), "the sources were not found"
    assert [str(path) for path in sources if len(lines(path)) > longest_file] == []
    functions = {str(path): long_functions(path.read_text(encoding="utf-8"), longest_function) for path in sources}
    assert {path: found for path, found in functions.items() if found} == {}


def test_the_launcher_is_short_enough_to_read() -> None:
    assert {path.name: len(lines(path)) for path in SCRIPTS if len(lines(path)) > LONGEST_SCRIPT} == {}


def test_a_function_that_is_too_long_is_found() -> None:
    body = "    a = (\n" + "        1 +\n" * 38
    fits = f"def fits(\n    b,\n):\n{body}        1)\n"
    inner = "class C:\n    async def f(self):\n" + "        pass\n" * 41
    assert long_functions(fits + inner, 40) == ["45: f, 41 lines"]
