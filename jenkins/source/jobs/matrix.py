"""What the weekly jobs vary: parameters of the job and not of the Jenkinsfile, because they differ by driver.

Jenkins keeps the parameters of a job that its Jenkinsfile does not declare.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from .parameters import Parameter, read_job_parameters, read_parameters
from .problem import Problem


def read_matrix(path: Path, jenkinsfile: Path, drivers: set[str]) -> dict[str, list[Parameter]]:
    """Return the parameters that the jobs of each driver get: the declared ones, and those of the job."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    about, given = content["about"], content["drivers"]
    declared, left = read_parameters(jenkinsfile), read_job_parameters(jenkinsfile)
    if left != list(about):
        raise Problem(f"{path}: about: expected what {jenkinsfile.name} leaves to the job: {', '.join(left)}")
    for parameter in declared:
        if parameter.name in about:
            raise Problem(f"{path}: {parameter.name} is declared by the Jenkinsfile, which replaces that of the job")
    for driver in sorted(drivers):
        if driver not in given:
            raise Problem(f"{path}: drivers: {driver} is missing, which a target with a cluster uses")
    for driver, values in given.items():
        if values.keys() != about.keys():
            raise Problem(f"{path}: drivers.{driver}: expected {', '.join(about)}")
    return {
        driver: declared + [Parameter("string", name, given[driver][name], text) for name, text in about.items()]
        for driver in sorted(drivers)
    }
