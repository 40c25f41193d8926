"""What the weekly jobs vary: parameters of the job and not of the Jenkinsfile, because they differ by driver.

Jenkins keeps the parameters of a job that its Jenkinsfile does not declare.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from .parameters import Parameter
from .problem import Problem


def read_matrix(path: Path, drivers: set[str], declared: set[str]) -> dict[str, list[Parameter]]:
    """Return the parameters that the jobs of each driver get beside the declared ones."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    about, given = content["about"], content["drivers"]
    for name in about:
        if name in declared:
            raise Problem(f"{path}: {name} is declared by the Jenkinsfile, which replaces the values of the jobs")
    for driver in sorted(drivers):
        if driver not in given:
            raise Problem(f"{path}: drivers: {driver} is missing, which a target with a cluster uses")
    for driver, values in given.items():
        if values.keys() != about.keys():
            raise Problem(f"{path}: drivers.{driver}: expected {', '.join(about)}")
    return {
        driver: [Parameter("string", name, given[driver][name], text) for name, text in about.items()]
        for driver in sorted(drivers)
    }
