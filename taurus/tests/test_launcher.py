"""The launcher before, in and after the set-up, and in an archive; every command is a fake that records the call."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
TOOLS = [
    *("cat", "cksum", "cp", "date", "dirname", "env", "find", "getconf", "ln", "mkdir", "mv"),
    *("readlink", "rm", "sed", "sleep", "sort", "tail", "touch", "tr"),
]


class Machine:
    """A checkout with the real launcher, and a PATH that has little beside the fakes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.log = folder / "checkout", folder / "bin", folder / "calls"
        self.expected: dict[Path, dict[str, str]] = {}
        self.bin.mkdir()
        self.log.touch()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        (self.root / "taurus").mkdir(parents=True)
        shutil.copy(ROOT / "shardload", self.root)
        (self.root / "taurus" / "shardload").symlink_to(ROOT / "taurus" / "shardload")

    def expect(self, command: str, arguments: str, effect: str = ":", folder: Path | None = None) -> None:
        """Allow a call, whose arguments may end in any way after a ``*``, and say what it does (sh)."""
        path = (folder or self.bin) / command
        self.expected.setdefault(path, {})[arguments] = effect
        cases = "\n".join(
            f"  {shlex.quote(known.rstrip('*'))}{'*' * known.endswith('*')}) {does} ;;"
            for known, does in self.expected[path].items()
        )
        log = shlex.quote(str(self.log))
        path.write_text(
            f'#!/bin/sh\necho "{command} $*" >>{log}\ncase "$*" in\n{cases}\n'
            f'  *) echo "unexpected: {command} $*" >>{log}; exit 97 ;;\nesac\n'
        )
        path.chmod(0o755)

    def set_up(self) -> None:
        """Let the set-up succeed."""
        home, jdk = self.root / ".shardload", self.bin.parent / "jdk"
        self.expect("mvnw", "*", f"mkdir -p {home}/new/jmeter/bin {home}/new/jmeter/lib/ext {home}/new/app/lib "
            f"{home}/new/app/plugin; touch {home}/new/jmeter/bin/ApacheJMeter.jar "
            f"{home}/new/app/plugin/shardload-jmeter.jar", self.root)  # fmt: skip
        (jdk / "bin").mkdir(parents=True)
        (jdk / "bin" / "javac").touch(0o755)
        self.expect("java", "-jar *", ":", jdk / "bin")
        settings = f"    java.specification.version = 17\n    java.home = {jdk}"
        self.expect("java", "-XshowSettings:properties -version", f"echo {shlex.quote(settings)}")
        self.expect("python", "-*")
        self.expect("python3", "-c *")
        # What sets up is the real thing; the commands that it calls are fakes.
        self.expect("python3", "-m shardload.setup *", f'exec {sys.executable} -B "$@"')
        self.expect("python3", "-m shardload.setup.class_data *")
        self.expect("python3", "-m venv *", f'mkdir -p "$3/bin"; cp {self.bin}/python "$3/bin/"')

    def start(self, *arguments: str, script: str = "./shardload", **given: str) -> subprocess.Popen[str]:
        environment = {"PATH": str(self.bin), "HOME": str(self.root.parent), **given}
        return subprocess.Popen(
            [script, *arguments], cwd=self.root, env=environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, *arguments: str, script: str = "./shardload", **given: str) -> tuple[int, str]:
        process = self.start(*arguments, script=script, **given)
        output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, output

    def calls(self, *commands: str) -> list[str]:
        """Return the calls of these commands in order, or of all."""
        called = self.log.read_text().splitlines()
        return [call for call in called if not commands or call.partition(" ")[0] in commands]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    assert [call for call in made.calls() if call.startswith("unexpected")] == []


def test_a_key_store_elsewhere_is_linked_unless_the_checkout_has_one(machine: Machine, tmp_path: Path) -> None:
    machine.set_up()
    keys = machine.root / ".shardload" / "keys"
    for name in ("one", "other"):
        code, output = machine.run("targets", SHARDLOAD_KEYS=str(tmp_path / name))
        assert code == 0, output
        assert keys.readlink() == tmp_path / name
    keys.unlink()
    keys.mkdir()
    code, output = machine.run("targets", SHARDLOAD_KEYS=str(tmp_path / "one"))
    assert code == 0, output
    assert not keys.is_symlink()
    assert list(keys.iterdir()) == []


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
        *(
            "pom.xml",
            "java-samplers/pom.xml",
            "java-samplers/src/main/A.java",
            "taurus/workloads/document-store/workload.yml",
        ),
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
