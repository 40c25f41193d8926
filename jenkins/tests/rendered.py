"""The XML of the jobs, as jenkins-job-builder would send it to a controller."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.checkout import driver_of

_PARAMETER_KINDS = {
    "hudson.model.StringParameterDefinition": "string",
    "hudson.model.BooleanParameterDefinition": "booleanParam",
    "hudson.model.TextParameterDefinition": "text",
    "hudson.model.ChoiceParameterDefinition": "choice",
}


@dataclass(frozen=True)
class Job:
    """The XML of one job."""

    name: str
    root: ElementTree.Element

    @property
    def script_path(self) -> str | None:
        return self.root.findtext("definition/scriptPath")

    @property
    def repository(self) -> tuple[str | None, str | None]:
        scm = self.root.find("definition/scm")
        return scm.findtext(".//url"), scm.findtext("branches/*/name")

    @property
    def extensions(self) -> list[str]:
        return [extension.tag for extension in self.root.find("definition/scm/extensions")]

    @property
    def triggers(self) -> list[tuple[str, str | None]]:
        return [(trigger.tag, trigger.findtext("spec")) for trigger in self.root.findall(".//triggers/*")]

    @property
    def parameters(self) -> list[tuple[str, str, str | list[str], str]]:
        """Return kind, name, default (or choices) and description of each."""
        found = []
        for parameter in self.root.findall(".//parameterDefinitions/*"):
            choices = [choice.text or "" for choice in parameter.findall("choices//string")]
            default = choices or parameter.findtext("defaultValue") or ""
            kind = _PARAMETER_KINDS[parameter.tag]
            found.append((kind, parameter.findtext("name") or "", default, parameter.findtext("description") or ""))
        return found

    @property
    def forbids_concurrent_builds(self) -> bool:
        property_name = "org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty"
        return self.root.find(f"properties/{property_name}") is not None


def render(jobs: Path, into: Path) -> dict[str, Job]:
    """Let jenkins-job-builder write all jobs and folders and return them by their full name."""
    command = [sys.executable, "-W", "ignore", "-m", "jenkins_jobs", "test", str(jobs), "--config-xml", "-o", str(into)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stdout + made.stderr
    found = {}
    for path in sorted(into.rglob("config.xml")):
        name = str(path.parent.relative_to(into))
        found[name] = Job(name, ElementTree.fromstring(path.read_bytes()))
    return found


def pipelines(jobs: dict[str, Job]) -> dict[str, Job]:
    """Return the jobs without the folders."""
    return {name: job for name, job in jobs.items() if job.root.tag == "flow-definition"}


def unmatched(jobs: dict[str, Job], targets: list[str]) -> list[str]:
    """Return one line for each target without its job, and for each job without its target."""
    names = {name for name in pipelines(jobs) if not name.startswith("shardload/matrix/")}
    expected = {f"shardload/{driver_of(target)}/{target}" for target in targets}
    return [f"no job: {name}" for name in sorted(expected - names)] + [
        f"no target: {name}" for name in sorted(names - expected)
    ]
