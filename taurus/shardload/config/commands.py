"""Keys that make Taurus run other code than shardload's: commands and module classes. The user must allow them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from shardload.config.merge import KeyPath, Merged

# Not a key: a user who may only edit files or pass -o must not set it. --allow-commands sets it for this process.
ALLOW_VARIABLE = "SHARDLOAD_ALLOW_COMMANDS"
_REMEDY = f"allow it on the command line with --allow-commands (with plain bzt: {ALLOW_VARIABLE}=1)"

# The classes of base.yml, and Taurus's own classes that a file may also name.
CLASSES = {
    "local": "bzt.modules.provisioning.Local",
    "consolidator": "shardload.bzt_modules.gate.Gate",
    "passfail": "shardload.bzt_modules.passfail.StrictPassFail",
    "shardload-console": "shardload.bzt_modules.console.ConsoleReporter",
    "shardload": "shardload.bzt_modules.executor.ShardloadExecutor",
    "final-stats": "bzt.modules.reporting.FinalStatus",
    "junit-xml": "bzt.modules.reporting.JUnitXMLReporter",
    "shellexec": "bzt.modules.shellexec.ShellExecutor",
}


def allow() -> None:
    """Allow commands in this process and those that it starts."""
    os.environ[ALLOW_VARIABLE] = "1"


def are_allowed() -> bool:
    """Whether the user allows commands."""
    return os.environ.get(ALLOW_VARIABLE) == "1"


def check_commands(merged: Merged) -> None:
    """Refuse what runs code that is not shardload's, unless the user allows it."""
    if are_allowed():
        return
    modules = merged.config.get("modules")
    modules = modules if isinstance(modules, Mapping) else {}
    for name, known in CLASSES.items():
        settings = modules.get(name) or {}
        # Taurus takes a text for the class.
        path: KeyPath = ("modules", name, "class") if isinstance(settings, Mapping) else ("modules", name)
        given = settings.get("class") if isinstance(settings, Mapping) else settings
        if given not in (None, known):
            merged.refuse(path, f'"{given}" would run as code; write "{known}", or {_REMEDY}')
    services = merged.config.get("services")
    for index, item in enumerate(services if isinstance(services, list) else ()):
        if (item.get("module") if isinstance(item, Mapping) else item) == "shellexec":
            text = f"shellexec runs commands, which can read the passwords in the environment; {_REMEDY}"
            merged.refuse(("services", index), text)
    target = merged.config.get("target")
    declared = (target.get("faults") if isinstance(target, Mapping) else None) or {}
    faults = merged.config.get("faults")
    for index, item in enumerate(faults if isinstance(faults, list) else ()):
        kinds = item.get("fault") if isinstance(item, Mapping) else None
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            if isinstance(declared, Mapping) and isinstance(kind, str) and kind in declared:
                text = f"{kind} runs commands of the target, which can read the passwords in the environment; {_REMEDY}"
                merged.refuse(("faults", index, "fault"), text)
