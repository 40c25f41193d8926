"""The set-up of several parts side by side: real processes, short ones in place of Maven and pip."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shardload.setup import parts
from shardload.setup.__main__ import Lines, last_words
from shardload.setup.parts import Folders, Part
from shardload.setup.side_by_side import Failed, Job, Signals, Stopped, run
from shardload.terminal import Terminal
from tests.conftest import Screen

TAURUS = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 240


class Heard:
    """A display that remembers."""

    def __init__(self) -> None:
        self.finished: list[str] = []
        self.together: set[tuple[str, ...]] = set()

    def draw(self, jobs: Sequence[Job]) -> None:
        self.together.add(tuple(job.part.name for job in jobs))

    def done(self, job: Job) -> None:
        self.finished.append(job.part.name)


def sh(text: str) -> list[str]:
    return ["sh", "-c", text]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie in a container without an init counts as gone.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def await_end(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} was left behind"
        time.sleep(0.05)


def test_parts_are_at_work_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for a word of the other: one after another they would never end."""
    made: list[str] = []
    wait = "while [ ! -e {} ]; do sleep 0.05; done"
    one = Part("one", "One", [sh("touch a"), sh(wait.format("b"))], finish=lambda: made.append("one"))
    two = Part("two", "Two", [sh(wait.format("a") + "; echo said; touch b")], finish=lambda: made.append("two"))
    heard = Heard()
    run([one, two], tmp_path, lambda name: tmp_path / f"{name}.log", heard)
    assert sorted(made) == sorted(heard.finished) == ["one", "two"]
    assert ("one", "two") in heard.together
    assert "said" in (tmp_path / "two.log").read_text()
    assert "said" not in (tmp_path / "one.log").read_text()


def test_a_part_begins_when_the_one_before_it_is_finished(tmp_path: Path) -> None:
    def finish() -> None:
        (tmp_path / "finished").touch()

    last = Part("last", "Last", [sh("test -e finished")], after="first")
    heard = Heard()
    run([last, Part("first", "First", [sh("sleep 0.3")], finish=finish)], tmp_path, lambda name: tmp_path / name, heard)
    assert heard.finished == ["first", "last"]
    assert ("last", "first") not in heard.together and ("first",) in heard.together


def test_a_failure_names_its_part_and_ends_the_others_with_all_that_they_started(tmp_path: Path) -> None:
    made: list[str] = []
    other = Part(
        "other",
        "Other",
        [sh("sleep 600 & echo $! >pid.tmp; mv pid.tmp pid; wait")],
        finish=lambda: made.append("other"),
    )
    bad = Part(
        "bad", "Bad", [sh("while [ ! -e pid ]; do sleep 0.05; done; echo the reason; exit 3"), sh("touch never")]
    )
    with pytest.raises(Failed) as failed:
        run([other, bad], tmp_path, lambda name: tmp_path / f"{name}.log", Heard())
    assert (failed.value.title, failed.value.log) == ("Bad", tmp_path / "bad.log")
    assert "the reason" in failed.value.log.read_text()
    await_end(int((tmp_path / "pid").read_text()))
    assert made == [] and not (tmp_path / "never").exists()


def test_what_ignores_the_signal_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardload.setup.side_by_side._END_SECONDS", 0.2)
    deaf = "import os, signal, time; signal.signal(15, 1); open('pid', 'w').write(str(os.getpid())); time.sleep(600)"
    bad = Part("bad", "Bad", [sh("while [ ! -s pid ]; do sleep 0.05; done; exit 1")])
    with pytest.raises(Failed):
        run([Part("deaf", "Deaf", [[sys.executable, "-c", deaf]]), bad], tmp_path, lambda n: tmp_path / n, Heard())
    await_end(int((tmp_path / "pid").read_text()))


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failed) as failed:
        run([Part("bad", "Bad", [["./no-such-program"]])], tmp_path, lambda n: tmp_path / n, Heard())
    assert "no-such-program" in failed.value.reason


# --- as the launcher calls it ----------------------------------------------------------------------------------------

MAVEN = """#!/bin/sh
mkdir -p .shardload/new/app/lib .shardload/new/app/plugin .shardload/new/jmeter/lib/ext
touch .shardload/new/app/plugin/shardload-jmeter.jar
"""


def checkout(root: Path, maven: str) -> Path:
    (root / ".shardload" / "stamps").mkdir(parents=True)
    (root / "mvnw").write_text(maven)
    (root / "mvnw").chmod(0o755)
    return root


def call(root: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "shardload.setup", "--root", str(root), *arguments]
    return subprocess.Popen(
        command, cwd=TAURUS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True
    )


def test_what_was_made_is_swapped_in_and_stamped(tmp_path: Path) -> None:
    root = checkout(tmp_path, MAVEN)
    home = root / ".shardload"
    (home / "app").mkdir()
    (home / "app" / "older").touch()
    process = call(root, "--app", "a 1", "--jmeter", "j 2")
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, output
    # The jars are empty files, so no JVM writes an archive; the set-up succeeds without one.
    maven, class_data = output.splitlines()
    assert maven.startswith("  JMeter and samplers (Maven) ... done in ")
    log = home / "setup-class-data.log"
    assert class_data.startswith("  class data (for a faster start) ... failed after ")
    assert class_data.endswith(f" s, so every start of JMeter takes longer; see {log}")
    assert log.read_text().count("trying again: ") == 1
    assert log.read_text().count("without archives of classes: ") == 1
    assert not (home / "class-data").exists()
    assert (home / "jmeter" / "lib" / "ext" / "shardload-jmeter.jar").exists()
    assert not (home / "app" / "older").exists() and not (home / "new").exists()
    assert {path.name: path.read_text() for path in (home / "stamps").iterdir()} == {"app": "a 1", "jmeter": "j 2"}


def test_a_failed_build_says_where_its_output_is_and_leaves_no_stamp(tmp_path: Path) -> None:
    root = checkout(tmp_path, "#!/bin/sh\necho [ERROR] no network\nexit 1\n")
    (root / ".shardload" / "stamps" / "app").write_text("of an older one")
    process = call(root, "--app", "a 1")
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    log = root / ".shardload" / "setup-java.log"
    *_, reason, last = output.splitlines()
    assert reason == "[ERROR] no network"
    assert last == f"shardload: samplers (Maven) failed; the whole output is in {log}"
    assert not (root / ".shardload" / "stamps" / "app").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(tmp_path: Path, number: signal.Signals) -> None:
    root = checkout(
        tmp_path, "#!/bin/sh\nmkdir -p .shardload/new\nsleep 600 &\necho $! >pid.tmp\nmv pid.tmp pid\nwait\n"
    )
    process = call(root, "--app", "a 1")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (root / "pid").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 2
    assert output == "shardload: the set-up was stopped; the next call does it again\n"
    await_end(int((root / "pid").read_text()))
    assert not (root / ".shardload" / "new").exists()


def test_a_signal_during_the_start_of_a_process_leaves_none_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self.pid)
            os.kill(os.getpid(), signal.SIGTERM)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    try:
        signals = Signals()
        with pytest.raises(Stopped, match="15"):
            run([Part("one", "One", [["sleep", "600"]])], tmp_path, lambda n: tmp_path / n, Heard(), signals.check)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    (pid,) = started
    assert not is_running(pid)


def test_only_the_home_that_is_due_is_assembled(tmp_path: Path) -> None:
    (both,) = parts.java(Folders(tmp_path), {"jmeter": "1", "app": "2"}).commands
    (samplers,) = parts.java(Folders(tmp_path), {"app": "2"}).commands
    assert both[both.index("-pl") + 1] == "java-samplers,jmx"
    assert samplers[samplers.index("-pl") + 1] == "java-samplers"


def test_a_terminal_shows_the_last_words_of_each_part_at_work(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"--- mvnw package\n\x1b[1m[INFO]\x1b[m --- shade:3.6.0:shade ---\n\n")
    assert last_words(log) == "shade:3.6.0:shade"
    screen = Screen()
    lines = Lines(Terminal(screen))
    job = Job(Part("java", "samplers (Maven)", []), log, time.monotonic())
    lines.draw([job, job])
    assert screen.getvalue().count("samplers (Maven) ... 0 s  shade:3.6.0:shade\n") == 2
    job.ended = job.began
    lines.done(job)
    assert screen.getvalue().endswith("  samplers (Maven) ... done in 0 s\n")
