"""A short text takes neither all the memory nor all the time of the machine, and its refusal is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardload.cli import main
from shardload.config.merge import read_source
from shardload.config.paths.reading import read_value, read_yaml
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.verbs.hosts import read_run
from tests.conftest import TAURUS

LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 10))
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 120))
FILES = [
    ("target: &a {driver: noop, options: *a}\n", "an alias refers to what it is a part of (line 1)"),
    ("x: 1\nexecution: &a\n- *a\n", "an alias refers to what it is a part of (line 2)"),
    (LAUGHS, "has more than 100000 values, with its aliases resolved (line 6)"),
    (MERGES, "has more than 100000 values, with its aliases resolved (line 6)"),
    (CHAIN, "is nested more than 100 deep (line 100)"),
    ("a: " + "{a: " * 600 + "1" + "}" * 600, "is nested more than 100 deep"),
    ("a: " + "[" * 5000 + "]" * 5000, "is nested more than 100 deep"),
    ("a: " + "[" * 100 + "]" * 100, "is nested more than 100 deep (line 1)"),
]


@pytest.mark.parametrize(("text", "message"), FILES, ids=range(len(FILES)))
def test_a_file_without_end_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text(text)
    with pytest.raises(Problem) as problem:
        read_source(file, Places(TAURUS.parent))
    assert str(problem.value) == f"{file}: {message}"


def test_what_is_large_but_bounded_is_read() -> None:
    content, _ = read_yaml("a: " + "[" * 99 + "]" * 99)
    assert content["a"] == read_value("[" * 99 + "]" * 99)
    content, _ = read_yaml(LAUGHS[: LAUGHS.index("a5:")])
    assert len(content["a4"]) == 10
    assert read_value("{a: [") == "{a: ["


@pytest.mark.parametrize("flag", ["-o", "--options"])
@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("execution.100000000.throughput=5", "execution.100000000.throughput: an index is above 999"),
        ("workload.x.1_000_000_000.y=5", "workload.x.1_000_000_000.y: an index is above 999"),
        ("workload" + ".a" * 5000 + "=1", "workload" + ".a" * 26 + "...: is nested more than 100 deep"),
        ("workload.x='&a [*a]'", "workload.x: an alias refers to what it is a part of (line 1)"),
        (f"workload.x='{'[' * 5000 + ']' * 5000}'", "workload.x: is nested more than 100 deep"),
        (
            "workload.x='{" + ", ".join(LAUGHS.splitlines()) + "}'",
            "workload.x: has more than 100000 values, with its aliases resolved (line 1)",
        ),
    ],
)
def test_an_override_without_end_is_refused_in_one_line(
    flag: str, override: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = override if flag == "--options" else override.replace("'", "")
    assert main(["run", "--target", "noop", flag, given]) == 1
    assert capsys.readouterr() == ("", f"shardload: {flag} {message}\n")


def test_a_bundle_that_is_nested_without_end_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[" * 200_000 + "]" * 200_000)
    with pytest.raises(Problem, match=r"run\.json is damaged: maximum recursion depth exceeded"):
        read_run(tmp_path)
