"""Folders, parameters and jobs for jenkins-job-builder; jobs/templates.yml has what all jobs share."""

from __future__ import annotations

from typing import Any

import yaml

from .parameters import Parameter
from .targets import Target

ROOT_FOLDER = "shardload"
MATRIX_FOLDER = f"{ROOT_FOLDER}/matrix"

_HEADER = """\
# Made from taurus/targets, the Jenkinsfiles and jenkins/matrix.yml. To make it again:
# cd jenkins/source && ../../.shardload/venv/bin/python -m jobs
# Do not edit; ./shardload test jenkins fails on a difference. Edit settings.yml (repository, times) instead.
"""


class _Dumper(yaml.SafeDumper):
    """Writes lists indented below their key, as the files written by hand are."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def job_name(target: Target) -> str:
    """Return the full name of the job of a target; its last part is the target."""
    return f"{ROOT_FOLDER}/{target.driver}/{target.name}"


def matrix_name(target: Target) -> str:
    """Return the full name of the matrix job of a target."""
    return f"{MATRIX_FOLDER}/{target.name}"


def to_yaml(targets: list[Target], load_test: list[Parameter], matrix: dict[str, list[Parameter]]) -> str:
    """Return the text of the file of all jobs."""
    definitions = [
        *_folders(targets),
        _parameters("shardload-load-test-parameters", load_test),
        *(_parameters(f"shardload-matrix-parameters-{driver}", matrix[driver]) for driver in matrix),
        _project("shardload-on-demand", "shardload-on-demand", [t for t in targets if not t.has_cluster]),
        _project("shardload-nightly", "shardload-nightly", [t for t in targets if t.has_cluster]),
        _project("shardload-matrix", "shardload-matrix", [t for t in targets if t.has_cluster]),
    ]
    return _HEADER + yaml.dump(definitions, Dumper=_Dumper, sort_keys=False, width=118, allow_unicode=True)


def _folders(targets: list[Target]) -> list[dict[str, Any]]:
    folders = {
        ROOT_FOLDER: "Load tests, one job per target",
        **{f"{ROOT_FOLDER}/{target.driver}": f"Targets with the driver {target.driver}" for target in targets},
        MATRIX_FOLDER: "Variants of each cluster, once a week",
    }
    return [
        {"job": {"name": name, "project-type": "folder", "description": description}}
        for name, description in folders.items()
    ]


def _parameters(name: str, parameters: list[Parameter]) -> dict[str, Any]:
    return {"parameter": {"name": name, "parameters": [_escaped(parameter.to_yaml()) for parameter in parameters]}}


def _project(name: str, template: str, targets: list[Target]) -> dict[str, Any]:
    described = [
        {target.name: {"driver": target.driver, "target-description": _escaped(target.description)}}
        for target in targets
    ]
    return {"project": {"name": name, "target": described, "jobs": [template]}}


def _escaped(value: Any) -> Any:
    """Double all braces, because jenkins-job-builder expands {name} in every text."""
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return value.replace("{", "{{").replace("}", "}}") if isinstance(value, str) else value
