"""Builds of a parsed pipeline: its steps in their order, its commands in a shell.

A build decides as Jenkins documents it which stages and conditions of post run. What Jenkins or a plugin does within a
step is left out: time limits, waiting for locks, masking, the checkout.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.parsed import JENKINSFILE, pipelines

# How long something that comes for sure may take on a busy machine.
PATIENCE_SECONDS = 300
SECRET = "s3cr3t"
DEFAULTS: dict[str, str | bool] = {
    "WORKLOAD": "document-store", "PROFILE": "smoke", "LOAD_HOSTS": "", "THROUGHPUT": "", "TEST_TIME": "",
    "DOCUMENT_SIZE": "", "SEED": "", "RECREATE_DATA": False, "REPEAT": "", "COMPARE_WITH": "", "EXTRA": "",
    "TIMEOUT_MINUTES": "240",
}  # fmt: skip
_RESULTS = ("SUCCESS", "UNSTABLE", "FAILURE", "ABORTED")
_POST = ("always", "aborted", "cleanup")
# What the Groovy code in a script block assigns or adds to.
_GIVEN = re.compile(r"(?:int )?([\w.]+?)(?: = |\.addAll\()")
_INVALID = 5
Entries = Sequence[Mapping[str, Any]]


class Stopped(Exception):
    """A step failed or was aborted: the argument is its result."""


@dataclass
class Job:
    """A job with its workspace."""

    folder: Path
    target: str = "citus"
    jenkinsfile: Path = JENKINSFILE
    environment: Mapping[str, str] = field(default_factory=dict)
    # A busy machine makes measurements invalid, which is not what is tested.
    accepts_invalid: bool = False

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def build(self, is_to_abort: Callable[[], bool] | None = None, /, **changes: str | bool) -> Build:
        """Build with the defaults of the parameters, except for the given ones."""
        return self.run({**DEFAULTS, **changes}, is_to_abort)

    def run(self, parameters: Mapping[str, str | bool], is_to_abort: Callable[[], bool] | None = None) -> Build:
        """Build; abort the command that runs as soon as it is time to."""
        build = Build(self, parameters, is_to_abort)
        pipeline = pipelines()[self.jenkinsfile]
        build.perform((), pipeline["stages"], pipeline["post"])
        assert build.is_aborted == (is_to_abort is not None), build.log
        return build


class Build:
    """A build, and what became of it."""

    def __init__(self, job: Job, parameters: Mapping[str, str | bool], is_to_abort: Callable[[], bool] | None) -> None:
        self.result = "SUCCESS"
        self.skipped: list[str] = []
        self.values: dict[str, Any] = {}
        self.junit: list[ElementTree.Element] = []
        self.archived: list[str] = []
        self.is_aborted = False
        self._job = job
        self._parameters = parameters
        self._is_to_abort = is_to_abort
        self._secrets: dict[str, str] = {}
        job.workspace.mkdir(exist_ok=True)
        self._log = Path(tempfile.mkstemp(prefix="log-", dir=job.folder)[1])

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    @property
    def description(self) -> str:
        return str(self.values.get("currentBuild.description", "")).strip()

    @property
    def failed_cases(self) -> list[str]:
        """The names of failed test cases, except for those that a busy machine spoils."""
        failed = [case for case in self.junit if _is_bad(case) and ".measurement" not in case.get("classname", "")]
        return [case.get("name", "") for case in failed]

    def perform(self, steps: Entries, stages: Entries, post: Mapping[str, Entries]) -> Stopped | None:
        """Perform steps or stages, then each condition of post that holds; return what stopped them first."""
        assert set(post) <= set(_POST)
        stopped = self._attempt(partial(self._inside, steps, stages))
        for condition in _POST:
            if condition in post and (condition != "aborted" or self.result == "ABORTED"):
                later = self._attempt(partial(self._steps, post[condition]))
                stopped = stopped or later
        return stopped

    def _attempt(self, part: Callable[[], None]) -> Stopped | None:
        try:
            part()
        except Stopped as stopped:
            self.result = max(self.result, str(stopped), key=_RESULTS.index)
            return stopped
        return None

    def _inside(self, steps: Entries, stages: Entries) -> None:
        self._steps(steps)
        for stage in stages:
            if stage["when"] and not self._holds(stage["when"]):
                self.skipped.append(stage["name"])
                continue
            before = self._secrets
            if any(option["name"] == "withCredentials" for option in stage["options"]):
                names = self.values["secrets"].splitlines()
                self._secrets = {name.rpartition("-")[2]: f"{SECRET} {name}" for name in names}
            stopped = self.perform(stage.get("steps", ()), stage["stages"], stage["post"])
            self._secrets = before
            if stopped:
                raise stopped

    def _holds(self, condition: str) -> bool:
        """Evaluate a condition of the Jenkinsfiles; one that is not known here fails the test."""
        if " || " in condition:
            return any(map(self._holds, condition.split(" || ")))
        file = re.fullmatch(r"fileExists\('([^']+)'\)", condition)
        if file:
            return (self._job.workspace / file[1]).exists()
        given, code = self._parameters.get, self.values.get("code")
        is_series = bool(given("REPEAT") or given("COMPARE_WITH"))
        return {
            "params.RECREATE_DATA && !isSeries()": bool(given("RECREATE_DATA")) and not is_series,
            "!isSeries()": not is_series,
            "params.DOCUMENT_SIZE_WITHOUT_TOAST": bool(given("DOCUMENT_SIZE_WITHOUT_TOAST")),
            "env.SHARDLOAD_RUNS": "SHARDLOAD_RUNS" in self._job.environment,
            "env.SHARDLOAD_STORE_URL": "SHARDLOAD_STORE_URL" in self._job.environment,
            "code == 3": code == 3,
            "code != 0": code != 0,
        }[condition]

    def _steps(self, entries: Entries) -> None:
        for entry in entries:
            if "if" in entry:
                self._steps(entry["then" if self._holds(entry["if"]) else "else"])
            elif "code" in entry:
                (step,) = entry["steps"]
                given = _GIVEN.match(entry["code"])
                assert given is not None, entry
                self.values[given[1]] = self._step(step["name"], step["arguments"], ())
            else:
                self._step(entry["name"], entry["arguments"], entry.get("steps", ()))

    def _step(self, name: str, arguments: Mapping[str, Any], block: Entries) -> Any:
        if name == "sh":
            return self._shell(arguments)
        if name == "readFile":
            return (self._job.workspace / arguments["file"]).read_text(encoding="utf-8")
        if name == "error":
            raise Stopped("FAILURE")
        if name in ("timeout", "script"):
            self._steps(block)
        elif name == "catchError":
            stopped = self._attempt(partial(self._steps, block))
            if str(stopped) == "ABORTED" and arguments.get("catchInterruptions") is False:
                raise Stopped("ABORTED")
        else:
            self._report(name, arguments)
        return None

    def _report(self, name: str, arguments: Mapping[str, Any]) -> None:
        if name == "junit":
            for path in self._job.workspace.glob(arguments["testResults"]):
                self.junit += ElementTree.parse(path).getroot().iter("testcase")
        elif name == "archiveArtifacts":
            files = (path for path in self._job.workspace.glob(f"{arguments['artifacts']}/*") if path.is_file())
            self.archived = sorted(str(path.relative_to(self._job.workspace)) for path in files)
        else:
            assert name in ("checkout", "unstable"), name
        if name == "unstable" or any(map(_is_bad, self.junit)):
            self.result = max(self.result, "UNSTABLE", key=_RESULTS.index)

    def _shell(self, arguments: Mapping[str, Any]) -> str | int:
        wants_code = arguments.get("returnStatus", False)
        wants_output = arguments.get("returnStdout", False)
        environment = {name: os.environ[name] for name in os.environ.keys() - {"PYTHONPATH", "SHARDLOAD_ROOT"}}
        # Under these two Jenkins finds the processes of a step.
        environment.update(JENKINS_SERVER_COOKIE="durable", JENKINS_NODE_COOKIE="node", JOB_BASE_NAME=self._job.target)
        environment.update({name: str(value) for name, value in self._parameters.items()})
        environment.update({**self._job.environment, **self._secrets})
        with open(self._log, "ab") as log, tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                ["sh", "-xe", "-c", arguments["script"]],
                cwd=self._job.workspace,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output if wants_output else log,
                stderr=log,
                start_new_session=True,
            )
            code = self._end_of(process)
            output.seek(0)
            text = output.read().decode()
        if code == _INVALID and self._job.accepts_invalid:
            code = 0
        if code and not wants_code:
            raise Stopped("FAILURE")
        return code if wants_code else text

    def _end_of(self, process: subprocess.Popen[bytes]) -> int:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while process.poll() is None:
            is_late = time.monotonic() > deadline
            if is_late or (self._is_to_abort and not self.is_aborted and self._is_to_abort()):
                os.killpg(process.pid, signal.SIGKILL if is_late else signal.SIGTERM)
                process.wait()
                assert not is_late, self.log
                self.is_aborted = True
                raise Stopped("ABORTED")
            time.sleep(0.02)
        return process.returncode


def _is_bad(case: ElementTree.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
