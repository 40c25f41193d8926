"""What the launcher does before any set-up and in an archive; every command is a fake that records the call."""

from __future__ import annotations

import shutil
import sys

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


def test_a_failed_set_up_ends_the_call(machine: Machine) -> None:
    machine.set_up()
    machine.expect("mvnw", "*", "echo 'BUILD FAILURE'; exit 7", machine.root)
    code, output = machine.run("targets")
    assert code == 1, output
    assert not any("-m shardload targets" in call for call in machine.calls("python"))


@pytest.mark.parametrize(
    "changed",
    [
        *("pom.xml", "java-samplers/pom.xml", "java-samplers/src/main/A.java", "schemas/document-store/postgresql.sql"),
        *("jmx/pom.xml", "jmx/home/bin/jmeter", "taurus/constraints.txt", "taurus/constraints-build.txt"),
    ],
)
def test_a_part_whose_input_changed_is_set_up_again(machine: Machine, changed: str) -> None:
    machine.set_up()
    file = machine.root / changed
    file.parent.mkdir(parents=True, exist_ok=True)
    for content, has_changed in (("before", True), ("before", False), ("after", True), ("after", False)):
        file.write_text(content)
        code, output = machine.run("targets")
        assert code == 0, output
        assert ("setting up" in output) == has_changed, content


def test_the_names_that_a_shell_asks_for_set_nothing_up(machine: Machine) -> None:
    code, output = machine.run("completion", "--names", "profile")
    assert (code, output) == (0, "")
    assert machine.calls() == []


def test_what_is_closed_is_nowhere(machine: Machine) -> None:
    """Without that the first file that Python or a child opens would be its standard output."""
    streams = machine.root.parent / "streams"
    machine.expect("python3", "-c *")
    machine.expect(
        "python3", "-m shardload*", f"exec 3>&1; /usr/bin/readlink /proc/self/fd/3 /proc/self/fd/2 >{streams}"
    )
    code, _ = machine.run("-c", "exec ./shardload --help >&- 2>&-", script="/bin/sh")
    assert (code, streams.read_text()) == (0, "/dev/null\n" * 2)


def test_a_folder_that_takes_no_file_is_one_line(machine: Machine) -> None:
    machine.set_up()
    shutil.rmtree(machine.root / ".shardload")
    (machine.root / ".shardload").write_text("no folder")
    code, output = machine.run("targets")
    home = machine.root / ".shardload"
    assert (code, output) == (1, f"shardload: cannot write to {home}: shardload keeps its environment, data and runs "
        "in its own folder; put it into a folder that you can write to\n")  # fmt: skip


# --- in an archive ---------------------------------------------------------------------------------------------------

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def unpack(machine: Machine, *versions: str) -> None:
    """Make an unpacked archive of the machine's checkout: with a Java that has no compiler, and without Maven."""
    machine.set_up()
    (machine.root / "mvnw").unlink()
    listed = ", ".join(f'"{version}"' for version in versions)
    (machine.root / "archive.json").write_text(f'{{\n  "java": 17,\n  "python": [{listed}]\n}}\n')
    wheels = machine.root / "wheels"
    wheels.mkdir()
    (wheels / "pip-25.3-py3-none-any.whl").touch()
    for version in versions:
        (wheels / f"requirements-{version}.txt").touch()
    (machine.bin.parent / "jdk" / "bin" / "javac").unlink()


def test_an_archive_needs_neither_maven_nor_compiler_nor_ensurepip(machine: Machine) -> None:
    unpack(machine, "3.8", VERSION)
    packed = "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '{}')"
    machine.expected[machine.bin / "python3"].clear()
    machine.expect("python3", f"-c {packed.format('3.8')}", "exit 1")
    machine.expect("python3", f"-c {packed.format(VERSION)}")
    machine.expect("python3", "-m shardload.setup *", f'exec {sys.executable} -B "$@"')
    machine.expect("python3", "-m shardload.setup.class_data *")
    machine.expect("python3", "-m venv --without-pip *", f'mkdir -p "$4/bin"; cp {machine.bin}/python "$4/bin/"')
    machine.expect("python", f"{machine.root}/wheels/pip-25.3-py3-none-any.whl/pip install *")
    for _ in range(2):
        code, output = machine.run("targets")
        assert code == 0, output
    home = machine.root / ".shardload"
    (call,) = [call for call in machine.calls("python") if "/pip install" in call]
    assert "--no-index" in call and "--require-hashes" in call
    assert call.endswith(f"-r {machine.root}/wheels/requirements-{VERSION}.txt")
    assert {path.name for path in (home / "stamps").iterdir()} >= {"venv", "jdk"}


def test_another_python_than_those_of_the_archive_is_told_and_served_by_pip(machine: Machine) -> None:
    unpack(machine, "3.8")
    machine.expect("python3", "-c *", """case "$2" in *"'3.8'"*) exit 1 ;; esac""")
    code, output = machine.run("targets")
    assert code == 0, output
    assert output.startswith(
        "shardload: this archive has the packages of Python 3.8, which is not on this machine: pip fetches others\n"
    ), output
    assert any(call.endswith("-r taurus/constraints.txt") for call in machine.calls("python"))


def test_an_archive_has_no_tests(machine: Machine) -> None:
    unpack(machine, VERSION)
    code, output = machine.run("test")
    assert (code, output) == (1, "shardload: an archive has no tests: they are run in a checkout\n")
