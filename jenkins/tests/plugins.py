"""The plugins of the controller, and those that the Jenkinsfiles need."""

from __future__ import annotations

import re
from pathlib import Path

# Where each word of the Jenkinsfiles that takes arguments or a block comes from; core and Groovy need no plugin.
CORE = ("core",)
DECLARATIVE = ("pipeline-model-definition",)
BASIC = ("workflow-basic-steps",)
NEEDED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["pipeline", "agent", "options", "parameters", "stages", "steps", "post", "when"], DECLARATIVE),
    **dict.fromkeys(["always", "aborted", "unsuccessful", "failure", "success", "cleanup"], DECLARATIVE),
    **dict.fromkeys(["expression", "environment", "script", "skipDefaultCheckout"], DECLARATIVE),
    **dict.fromkeys(["timeout", "catchError", "error", "unstable", "archiveArtifacts", "echo"], BASIC),
    **dict.fromkeys(["readFile", "fileExists"], BASIC),
    "stage": ("pipeline-model-definition", "pipeline-stage-step"),
    "label": CORE,
    "disableRestartFromStage": DECLARATIVE,
    "buildDiscarder": CORE,
    "logRotator": CORE,
    "booleanParam": CORE,
    # A parameter, and a binding of withCredentials.
    "string": ("credentials-binding", "plain-credentials"),
    "disableConcurrentBuilds": ("workflow-job",),
    "timestamps": ("timestamper",),
    "checkout": ("workflow-scm-step", "git"),
    "sh": ("workflow-durable-task-step",),
    "lock": ("lockable-resources",),
    "withCredentials": ("credentials-binding",),
    "junit": ("junit",),
    **dict.fromkeys(["if", "else", "return"], CORE),
}
# For the jobs and the configuration of the controller.
ALWAYS = {
    *("configuration-as-code", "cloudbees-folder", "matrix-auth", "antisamy-markup-formatter", "ssh-slaves"),
    *("ssh-credentials", "workflow-cps", "workflow-job"),
}

_LINE = re.compile(r"[a-z0-9-]+:(?!latest|experimental|incrementals)[0-9][\w.-]*")
_TEXT = re.compile(r"'''.*?'''|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*", re.DOTALL)
_FUNCTION = re.compile(r"^\w+ (\w+)\(.*\) \{$", re.MULTILINE)
_CALL = re.compile(r"(?<![.\w@])([a-zA-Z]\w*)(?=\s*[({]|\s+(?:''|\w+:|scm\b))")


def problems(text: str, needed: set[str]) -> list[str]:
    """Return one line for each plugin that is not pinned, listed twice or missing."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = [line.partition(":")[0] for line in lines]
    return [
        *(f"not pinned: {line}" for line in lines if not _LINE.fullmatch(line)),
        *(f"twice: {name}" for name in sorted({name for name in names if names.count(name) > 1})),
        *(f"missing: {name}" for name in sorted(needed - set(names))),
    ]


def needed_by(jenkinsfile: Path) -> set[str]:
    """Return the plugins that the words of a Jenkinsfile come from."""
    text = jenkinsfile.read_text(encoding="utf-8")
    functions = set(_FUNCTION.findall(text))
    code = _TEXT.sub(lambda found: "" if found[0].startswith("//") else "''", text)
    words = {word for word in _CALL.findall(code) if word not in functions}
    unknown = sorted(words - NEEDED.keys())
    if unknown:
        raise KeyError(f"{jenkinsfile.name}: say in NEEDED which plugins these come from: {', '.join(unknown)}")
    return {plugin for word in words for plugin in NEEDED[word]} - {"core"}
