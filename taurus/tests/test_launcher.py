"""``./shardload test`` on machines that lack something: every command that it calls is a fake that records the call."""

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
LAUNCHER = ("shardload", *(f"taurus/tests/{name}" for name in ("run.sh", "tools.sh", "failed_tests.py")))
TOOLS = [
    *("cat", "cksum", "cp", "date", "dirname", "env", "find", "getconf", "ln", "mkdir", "mv"),
    *("readlink", "rm", "sed", "sleep", "sort", "tail", "touch", "tr"),
]
E2E = ["e2e and not alone and not long", "e2e and alone and not long"]
STORES = "prometheus prometheus-node-exporter victoria-metrics"


class Machine:
    """A checkout with the real launcher, and a PATH that has little beside the fakes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.log = folder / "checkout", folder / "bin", folder / "calls"
        self.expected: dict[Path, dict[str, str]] = {}
        self.bin.mkdir()
        self.log.touch()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        for name in LAUNCHER:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            text = (ROOT / name).read_text(encoding="utf-8")
            # What this machine has there is no matter of the test.
            text = text.replace("/usr/sbin/", f"{folder}/sbin/").replace("/usr/lib/", f"{folder}/lib/")
            (self.root / name).write_text(text, encoding="utf-8")
        (self.root / "shardload").chmod(0o755)
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

    def expect_python(self) -> None:
        """Allow a Python whose environments get the fake one."""
        self.expect("python3", "-c *")
        # What sets up is the real thing; the commands that it calls are fakes.
        self.expect("python3", "-m shardload.setup *", f'exec {sys.executable} -B "$@"')
        self.expect("python3", "-m shardload.setup.class_data *")
        self.expect("python3", "-m venv *", f'mkdir -p "$3/bin"; cp {self.bin}/python "$3/bin/"')

    def set_up(self) -> None:
        """Let everything be there that tests need, and the set-up succeed."""
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
        self.expect_python()
        self.expect("go", "env GOVERSION", "echo go1.26.6")
        self.expect("go", "build *", f"mkdir -p {home}/ferretdb; touch {home}/ferretdb/ferretdb")
        for command in ("chromium", "pgbouncer", "redis-server", "ip"):
            self.expect(command, "")
        faketime = self.bin.parent / "lib" / "any" / "faketime"
        faketime.mkdir(parents=True)
        (faketime / "libfaketimeMT.so.1").touch()
        for name in ("grafana", "jenkins"):
            (self.root / name).mkdir()
        self.give(home / "stores" / "usr" / "bin" / "victoria-metrics", home / "stamps" / "stores", STORES)
        uplot = home / "preview" / "node_modules" / "uplot" / "dist" / "uPlot.iife.min.js"
        self.give(uplot, home / "stamps" / "preview", "uplot@1.6.32")

    def give(self, program: Path, stamp: Path, inputs: str) -> None:
        """Let a tool be there with its stamp."""
        for path in (program, stamp):
            path.parent.mkdir(parents=True, exist_ok=True)
        program.touch(0o755)
        stamp.write_text(inputs)

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


@pytest.mark.parametrize(
    ("parts", "markers"),
    [
        ([], ["not e2e and not long and not real", *E2E, "grafana", "not long"]),
        (["all"], ["not e2e and not long and not real", *E2E, "grafana", "not long"]),
        (["grafana"], ["grafana"]),
        (["e2e"], E2E),
        (["jenkins"], ["not long"]),
        (["long"], ["long", "long"]),
        (["real"], ["real -rs"]),
        (["long", "python"], ["long", "long", "not e2e and not long and not real"]),
    ],
)
def test_each_part_runs_its_own_tests_and_only_long_the_long_ones(
    machine: Machine, parts: list[str], markers: list[str]
) -> None:
    machine.set_up()
    code, output = machine.run("test", *parts)
    assert code == 0, output
    runs = [call.partition(" -m pytest ")[2] for call in machine.calls("python") if " -m pytest " in call]
    assert [run.partition(" --")[0].removeprefix("-m ") for run in runs] == [
        "--numprocesses 2" if marker == "grafana" else marker for marker in markers
    ]


SUITE = "<testsuite><testcase classname='{}' name='{}'><failure/></testcase><testcase name='fine'/></testsuite>"


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """Return a machine on which everything is set up, so that the calls which follow are those of the tests."""
    machine.set_up()
    code, output = machine.run("test", "java")
    assert code == 0, output
    calls = machine.expected[machine.root / "mvnw"]
    set_up = calls.pop("*")
    # Another fake of Maven is another input of the set-up.
    machine.expect("mvnw", "--batch-mode --no-transfer-progress --threads 2 *", set_up, machine.root)
    machine.log.write_text("")
    return machine


def test_all_parts_run_and_the_end_names_what_failed(ready: Machine) -> None:
    """Mutation: call the parts without ``attempt``."""
    venv = ready.root / ".shardload" / "venv" / "bin"
    surefire = ready.root / "java-samplers" / "target" / "surefire-reports"
    surefire.mkdir(parents=True)
    (surefire / "TEST-old.xml").write_text(SUITE.format("a.OldTest", "failedYesterday"))
    # A file system notes times a few milliseconds apart, and a test takes longer.
    report = f'sleep 0.1; echo "{SUITE.format("a.BTest", "breaks")}" >{surefire}/TEST-b.xml; exit 1'
    ready.expect("mvnw", "--batch-mode --no-transfer-progress --fail-at-end verify", report, ready.root)
    ready.expect("mvnw", "--batch-mode --no-transfer-progress -pl *", ":", ready.root)
    given = SUITE.format("tests.test_c", "test_d[e]")
    writes = f'for last; do :; done; sleep 0.1; echo "{given}" >"${{last#*=}}"; exit 1'
    ready.expect("python", "-m pytest -m e2e and alone*", writes, venv)
    ready.expect("python", "-m ruff check .", "case $PWD in */jenkins) exit 1 ;; esac", venv)
    ready.expect("python", "taurus/tests/failed_tests.py *", f'exec {sys.executable} "$@"', venv)
    ready.expect("python", "-*", ":", venv)
    code, output = ready.run("test")
    assert (code, output.partition("\n\n")[2].splitlines()) == (1, [
        "shardload: these failed:",
        "  java: ./mvnw --batch-mode --no-transfer-progress --fail-at-end verify",
        "    a.BTest breaks",
        "  e2e: pytest -m e2e and alone and not long --durations=10",
        "    tests.test_c test_d[e]",
        "  jenkins: ruff check .",
        "shardload: failed parts of the tests: java e2e jenkins",
    ])  # fmt: skip
    assert len([call for call in ready.calls("python") if " -m pytest " in call]) == 5


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
