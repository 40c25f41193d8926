"""The project's rules for the Jenkinsfiles, on what Groovy's parser has read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jobs.parameters import read_job_parameters
from tests.commands import NOTHING, VALUES, Command
from tests.parsed import Step, steps_of

# Variables of each build, and those of the controller that the Jenkinsfiles use.
VARIABLES = {"JOB_BASE_NAME", "SHARDLOAD_RUNS", "SHARDLOAD_STORE_URL"}
_COMMAND = re.compile(r'\./shardload(?: (?:[\w./=%-]+|"\$\w+"))+')
_EMPTY_RESULTS = "rm -rf results"
_ON_CLUSTER = ("run", "load", "schema", "verify", "calibrate")
_LIMIT = "timeout limit() MINUTES"
_NAME = re.compile(r"\b(params|env)\.(\w+)")
_OPTIONS = ("disableConcurrentBuilds", "disableRestartFromStage")
# A failed build has results, too.
_ENDS = {"junit": ("always",), "archiveArtifacts": ("always", "cleanup")}


def findings(file: Path, pipeline: Mapping[str, Any]) -> list[str]:
    """Return a line for each violation, as ``file:line: text``."""
    declared = {entry["arguments"]["name"] for entry in pipeline["parameters"]} | set(read_job_parameters(file))
    known = {"params": declared, "env": VARIABLES}
    found = [(pipeline["line"], text) for text in _of_pipeline(pipeline)]
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        names = (match.groups() for match in _NAME.finditer(line))
        found += [(number, f"{owner}.{name} is not declared") for owner, name in names if name not in known[owner]]
    for step in steps_of(pipeline):
        found += [(step.line, f"{step.name}: {text}") for text in _of_step(step, declared | VARIABLES)]
    return [f"{file}:{line}: {text}" for line, text in sorted(found)]


def _of_pipeline(pipeline: Mapping[str, Any]) -> Iterator[str]:
    options = [option["name"] for option in pipeline["options"]]
    yield from (f"option {name} is missing" for name in _OPTIONS if name not in options)
    steps = [step.name for step in steps_of(pipeline)]
    yield from (f"step {name} is missing" for name in _ENDS if name not in steps)


def _of_step(step: Step, names: set[str]) -> Iterator[str]:
    if step.name == "sh":
        yield from _of_command(step, names)
    ends = _ENDS.get(step.name)
    if ends and not (step.within[0] == "pipeline" and step.within[1] in ends):
        yield f"belongs in {' or '.join(ends)} of the pipeline's post"


def _of_command(step: Step, names: set[str]) -> Iterator[str]:
    if _LIMIT not in step.within:
        yield "must be inside a timeout of limit()"
    if step.script == _EMPTY_RESULTS:
        return
    if not _COMMAND.fullmatch(step.script):
        yield "expected one command of ./shardload, of plain words and variables in double quotes"
        return
    command = Command("", step.script.removeprefix("./shardload "))
    yield from (f"${name} is not declared" for name in command.variables if name not in names)
    yield from sorted({command.refusal(values) for values in (VALUES, NOTHING)} - {""})
    if command.verb in _ON_CLUSTER:
        for option in ("lock machines", "withCredentials secrets"):
            if option not in step.within:
                yield f"{command.verb} must be inside {option}"
        if re.findall(r"--target\S* \S+", step.script) != ['--target "$JOB_BASE_NAME"']:
            yield f'{command.verb} needs --target "$JOB_BASE_NAME"'
    if step.arguments.get("returnStatus") and command.verb != "history":
        yield "returnStatus hides a failure: only history may have it"
