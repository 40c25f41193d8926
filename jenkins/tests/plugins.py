"""The plugins of the controller, and those that the Jenkinsfiles need."""

from __future__ import annotations

import re
from typing import Any

# Where each step, option and parameter of the Jenkinsfiles comes from; core needs no plugin.
CORE = ("core",)
DECLARATIVE = ("pipeline-model-definition",)
BASIC = ("workflow-basic-steps",)
NEEDED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["script", "skipDefaultCheckout", "disableRestartFromStage"], DECLARATIVE),
    **dict.fromkeys(["timeout", "catchError", "error", "unstable", "archiveArtifacts"], BASIC),
    **dict.fromkeys(["readFile", "fileExists"], BASIC),
    **dict.fromkeys(["buildDiscarder", "booleanParam", "string"], CORE),
    "disableConcurrentBuilds": ("workflow-job",),
    "timestamps": ("timestamper",),
    "checkout": ("workflow-scm-step", "git"),
    "sh": ("workflow-durable-task-step",),
    "lock": ("lockable-resources",),
    "withCredentials": ("credentials-binding", "plain-credentials"),
    "junit": ("junit",),
}
# For stages, the jobs and the configuration of the controller.
ALWAYS = {
    *("pipeline-model-definition", "pipeline-stage-step"),
    *("configuration-as-code", "cloudbees-folder", "matrix-auth", "antisamy-markup-formatter", "ssh-slaves"),
    *("ssh-credentials", "workflow-cps", "workflow-job"),
}

_LINE = re.compile(r"[a-z0-9-]+:(?!latest|experimental|incrementals)[0-9][\w.-]*")


def problems(text: str, needed: set[str]) -> list[str]:
    """Return one line for each plugin that is not pinned, listed twice or missing."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = [line.partition(":")[0] for line in lines]
    return [
        *(f"not pinned: {line}" for line in lines if not _LINE.fullmatch(line)),
        *(f"twice: {name}" for name in sorted({name for name in names if names.count(name) > 1})),
        *(f"missing: {name}" for name in sorted(needed - set(names))),
    ]


def needed_by(pipeline: Any) -> set[str]:
    """Return the plugins that a parsed pipeline, or a part of it, needs."""
    if isinstance(pipeline, list):
        return set().union(*map(needed_by, pipeline))
    if not isinstance(pipeline, dict):
        return set()
    own = NEEDED[pipeline["name"]] if "arguments" in pipeline else ()
    return set().union(own, *map(needed_by, pipeline.values())) - {"core"}
