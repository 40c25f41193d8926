"""A ./shardload that only notes how it was called, and ends as a test wants it to."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.build import Job

_PROGRAM = r"""
import json, os, sys, time
from pathlib import Path

here = Path(__file__).parent
plan = json.loads((here / "plan.json").read_text())
arguments = sys.argv[1:]
kind = next((word for word in ("--check", "--lock", "--credentials", "--recreate") if word in arguments), "")
call = f"{arguments[0]} {kind}".strip()
for text in plan["outputs"].get(call, []):
    print(text)
results = Path(arguments[arguments.index("--results") + 1] if call == "run" else arguments[-1])
if call == "run":
    results.mkdir(parents=True)
    if plan["codes"].get(call) != 1:
        (results / "run").write_text("20261122-120000-citus-smoke\n")
if call == "results":
    results.mkdir(parents=True, exist_ok=True)
    (results / "junit.xml").write_text(plan["junit"])
    (results / "description.html").write_text("run 20261122-120000-citus-smoke &lt;ok&gt;\n")
sys.stdout.flush()
# Last, because a test may abort the build as soon as it sees the call.
with open(here / "calls", "a") as calls:
    secret = os.environ.get("SHARDLOAD_PG_PASSWORD")
    calls.write(json.dumps({"call": call, "arguments": arguments, "secret": secret}) + "\n")
time.sleep(plan["seconds"].get(call, 0))
sys.exit(plan["codes"].get(call, 0))
"""
_CASE = '<testsuites><testsuite><testcase classname="criteria" name="p99">{}</testcase></testsuite></testsuites>'
MISSED = _CASE.format('<failure message="260 ms">missed</failure>')


@dataclass
class Fake:
    """What the fake prints, and how it ends, by the call: the verb, with the option that makes it another."""

    workspace: Path
    outputs: dict[str, list[str]] = field(
        default_factory=lambda: {
            "targets --lock": ["shardload-10.9.0.1", "shardload-local-agent"],
            "targets --credentials": ["shardload-citus-SHARDLOAD_PG_PASSWORD"],
        }
    )
    codes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    junit: str = _CASE.format("")

    def install(self) -> None:
        self.workspace.mkdir(parents=True, exist_ok=True)
        program, code = self.workspace / "shardload", self.workspace / "fake.py"
        code.write_text(_PROGRAM)
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S {shlex.quote(str(code))} "$@"\n')
        program.chmod(0o755)
        plan = {name: getattr(self, name) for name in ("outputs", "codes", "seconds", "junit")}
        (self.workspace / "plan.json").write_text(json.dumps(plan))

    @property
    def calls(self) -> list[dict[str, Any]]:
        file = self.workspace / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def names(self) -> list[str]:
        return [call["call"] for call in self.calls]

    def arguments(self, call: str) -> list[str]:
        """Return the arguments of the only call of a kind."""
        (found,) = [each["arguments"] for each in self.calls if each["call"] == call]
        return list(found)


def install(job: Job, **plan: Any) -> Fake:
    fake = Fake(job.workspace, **plan)
    fake.install()
    return fake
