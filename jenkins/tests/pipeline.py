"""Builds of a Jenkinsfile in the interpreter, in a workspace with a fake ./shardload or the real one."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.checkout import JENKINS, ROOT

JAR = JENKINS / "interpreter" / "target" / "shardload-jenkins.jar"
# It lives for a second or two: a full compiler would not pay.
INTERPRETER = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", str(JAR))
JENKINSFILE = ROOT / "Jenkinsfile"
MATRIX = JENKINS / "matrix.Jenkinsfile"
# How long something that comes for sure may take on a busy machine.
PATIENCE_SECONDS = 300
SECRET = "s3cr3t of the target"
DEFAULTS: dict[str, str | bool] = {
    "WORKLOAD": "document-store", "PROFILE": "smoke", "LOAD_HOSTS": "", "THROUGHPUT": "", "TEST_TIME": "",
    "DOCUMENT_SIZE": "", "SEED": "", "RECREATE_DATA": False, "REPEAT": "", "COMPARE_WITH": "", "EXTRA": "",
    "TIMEOUT_MINUTES": "240",
}  # fmt: skip


@dataclass(frozen=True)
class Build:
    """What the interpreter has recorded of a build."""

    record: Mapping[str, Any]
    log: str

    @property
    def result(self) -> str:
        return str(self.record["result"])

    @property
    def statuses(self) -> dict[str, str]:
        return {stage["name"]: stage["status"] for stage in self.record["stages"]}

    @property
    def post(self) -> list[tuple[str | None, str]]:
        """Return the post conditions that ran, each with its stage, in their order."""
        return [(entry["stage"], entry["condition"]) for entry in self.record["post"]]


@dataclass
class Job:
    """A job with its workspace; every build of it is a run of the interpreter."""

    folder: Path
    name: str = "shardload/postgresql/citus"
    jenkinsfile: Path = JENKINSFILE
    environment: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    number: int = 0

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def archive(self) -> Path:
        """Return where the last build's artifacts are."""
        return self.folder / f"archive-{self.number}"

    def start(self, parameters: Mapping[str, str | bool] | None) -> subprocess.Popen[str]:
        self.number += 1
        setup = {
            "jenkinsfile": str(self.jenkinsfile),
            "workspace": str(self.workspace),
            "archive": str(self.archive),
            "job": self.name,
            "build": self.number,
            "parameters": parameters,
            "env": self.environment,
            "credentials": self.credentials,
            **self.more,
        }
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.archive.mkdir()
        (self.folder / "setup.json").write_text(json.dumps(setup))
        return subprocess.Popen(
            [*INTERPRETER, "run", str(self.folder / "setup.json"), str(self.folder / "record.json")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end_of(self, process: subprocess.Popen[str]) -> Build:
        try:
            output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert process.returncode == 0, output
        record = json.loads((self.folder / "record.json").read_text(encoding="utf-8"))
        return Build(record, Path(record["log"]).read_text(encoding="utf-8"))

    def build(self, **changes: str | bool) -> Build:
        """Build with the defaults of the parameters, but for the given ones."""
        return self.end_of(self.start({**DEFAULTS, **changes}))

    def abort(self, is_there: Callable[[], bool], **changes: str | bool) -> Build:
        """Abort a build with the defaults of the parameters, but for the given ones, as soon as something is there."""
        return self.abort_of(self.start({**DEFAULTS, **changes}), is_there)

    def abort_of(self, process: subprocess.Popen[str], is_there: Callable[[], bool]) -> Build:
        try:
            wait_until(lambda: is_there() or process.poll() is not None)
        except AssertionError:
            process.kill()
            raise
        assert process.poll() is None and process.stdin is not None, "the build ended before it was aborted"
        process.stdin.write("abort\n")
        process.stdin.flush()
        return self.end_of(process)

    def change(self, *replacements: tuple[str, str]) -> None:
        """Let the following builds use a changed Jenkinsfile."""
        text = self.jenkinsfile.read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text, f"the Jenkinsfile has no {old}"
            text = text.replace(old, new)
        self.jenkinsfile = self.folder / "Jenkinsfile"
        self.jenkinsfile.write_text(text, encoding="utf-8")


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
