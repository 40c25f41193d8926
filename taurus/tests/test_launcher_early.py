"""What the launcher does before any set-up, on machines where every command is a fake that records the call."""

from __future__ import annotations

import shutil

import pytest

from tests.test_launcher import Machine, machine

__all__ = ["machine"]


@pytest.mark.parametrize(
    "words", [[], ["help"], ["--help"], ["help", "run"], ["run", "-h"], ["-V"], ["--version"]], ids=" ".join
)
def test_help_and_version_need_nothing_but_python(machine: Machine, words: list[str]) -> None:
    machine.expect("python3", "-c *")
    machine.expect("python3", "-m shardload*", 'echo "asked: $*"')
    code, output = machine.run(*words)
    assert (code, output) == (0, f"asked: -m shardload{''.join(f' {word}' for word in words)}\n")
    assert not (machine.root / ".shardload").exists()


@pytest.mark.parametrize("words", [["run", "--note", "help"], ["run", "-o", "x=--help"], ["run", "--tag", "-V"]])
def test_a_word_that_only_looks_like_help_sets_up(machine: Machine, words: list[str]) -> None:
    machine.set_up()
    code, output = machine.run(*words)
    assert code == 0, output
    assert "Python environment (pip) ... done in" in output
    assert machine.calls("python")[-1] == f"python -m shardload {' '.join(words)}"


def test_the_names_that_a_shell_asks_for_set_nothing_up(machine: Machine) -> None:
    code, output = machine.run("completion", "--names", "profile")
    assert (code, output) == (0, "")
    assert machine.calls() == []


def test_a_folder_that_takes_no_file_is_one_line(machine: Machine) -> None:
    machine.set_up()
    shutil.rmtree(machine.root / ".shardload")
    (machine.root / ".shardload").write_text("no folder")
    code, output = machine.run("targets")
    home = machine.root / ".shardload"
    assert (code, output) == (1, f"shardload: cannot write to {home}: shardload keeps its environment, data and runs "
        "beside itself; put it into a folder of your own\n")  # fmt: skip
