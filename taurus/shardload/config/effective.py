"""The effective configuration: what the Java side gets, as JSON and without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from shardload.config.hosts import LoadHosts
from shardload.config.keys import FOREIGN_TO_DRIVERS, OPTIONS, WORKLOAD_FOLDER
from shardload.config.merge import Merged
from shardload.config.metrics import Listen, ServerHost
from shardload.config.store import OFF, Store
from shardload.config.values.criteria import Criterion
from shardload.config.values.faults import COMMANDS, Fault, no_time_to_recover
from shardload.config.values.labels import Labels
from shardload.config.values.quantities import MOST_SEED, percent, positive, seconds, whole
from shardload.config.values.schedule import LoadKeys
from shardload.config.values.search import Plan
from shardload.config.workload import consent

DEFAULT_STATEMENT_TIMEOUT_SECONDS = 10.0
_PRICES = ("per-hour", "per-million-io", "per-gb-month")
_OF_FOLDERS = ("folder", *WORKLOAD_FOLDER, OPTIONS, "chosen")

# For verbs that make no load: as many connections as the small profiles have.
_NO_LOAD = LoadKeys(concurrency=8, throughput=None, ramp_up=0, steps=None, hold_for=1, warm_up=0)


@dataclass
class Checked:
    """A configuration without a fault, as far as Python can see."""

    merged: Merged
    target: dict[str, Any]
    schema: dict[str, Any]
    workload: dict[str, Any]
    scenario: str
    mix: dict[str, Decimal]
    transactions: set[str]
    execution: dict[str, Any] = field(default_factory=dict)
    load: LoadKeys | None = None
    hosts: LoadHosts | None = None
    criteria: list[Criterion] = field(default_factory=list)
    listen: Listen | None = None
    store: Store | None = None
    server_hosts: tuple[ServerHost, ...] = ()
    host_metrics: str = ""
    search: Plan | None = None
    faults: Sequence[Fault] = ()
    labels: Labels = field(default_factory=Labels)

    @property
    def warnings(self) -> list[str]:
        """What does not stop the run, but will not be measured."""
        text = no_time_to_recover(self.faults, self.load) if self.load else None
        return [f"{self.merged.place(('faults',))}: {text}"] if text else []


def build(checked: Checked, run_id: str, directory: Path | None, profile: str) -> dict[str, Any]:
    """Return the effective configuration of a checked one."""
    names = checked.merged.names
    run: dict[str, Any] = {
        "id": run_id,
        "directory": str(directory),
        "profile": profile,
        "verification": checked.execution.get("verification") or "all",
        **checked.labels.to_json(),
    }
    if directory is None:
        del run["directory"]
    if consent.is_given():
        run["allow_writes"] = True
    config: dict[str, Any] = {
        "run": run,
        "target": {
            "name": names.get("target", "unnamed"),
            # The controller's process, the load hosts and the monitoring do not belong to the tested system.
            **{key: checked.target[key] for key in checked.target if key not in ("embedded-heap", *FOREIGN_TO_DRIVERS)},
            "options": checked.target.get("options") or {},
            **_embedded(checked.target),
        },
        "schema": checked.schema,
        "workload": {
            "name": checked.workload["name"],
            "seed": whole(checked.workload.get("seed", 1), 0, MOST_SEED),
            "data": checked.workload.get("data") or {},
            **{key: checked.workload[key] for key in _OF_FOLDERS if key in checked.workload},
        },
        "scenario": checked.scenario,
        "mix": {name: _number(share) for name, share in checked.mix.items()},
        "criteria": [criterion.to_json() for criterion in checked.criteria],
    }
    config["load"] = _load(checked.load or _NO_LOAD, checked.execution)
    if checked.hosts:
        config["load"]["generators"] = len(checked.hosts.engines)
        config["hosts"] = checked.hosts.to_json()
    if checked.faults:
        config["faults"] = [fault.to_json() for fault in checked.faults]
    config.update(_observation(checked))
    return config


def _embedded(target: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an embedded server as text; YAML takes off for false."""
    settings = target.get("embedded-settings")
    words = {True: "on", False: "off"}
    named = {key: words[value] if isinstance(value, bool) else str(value) for key, value in (settings or {}).items()}
    return {"embedded-settings": named} if named else {}


def _observation(checked: Checked) -> dict[str, Any]:
    """Return who scrapes the run, where the figures of the machines come from, and what the target costs."""
    found: dict[str, Any] = {}
    if checked.listen:
        found["metrics"] = checked.listen.to_json()
    if checked.store:
        found["store"] = checked.store.to_json()
    if checked.load:
        found["host_metrics"] = checked.host_metrics
        watches = checked.target.get("server-sessions") not in (OFF, False)  # YAML takes off for false
        found["server_sessions"] = "watch" if watches else OFF
    if price := checked.target.get("price"):
        amounts = {key: positive(price[key]) for key in _PRICES if price.get(key) is not None}
        found["price"] = {"currency": price["currency"], **{key.replace("-", "_"): n for key, n in amounts.items()}}
    if checked.server_hosts:
        found["server_hosts"] = [host.to_json() for host in checked.server_hosts]
    return found


def _number(share: Decimal) -> int | float:
    return int(share) if share == share.to_integral_value() else float(share)


def _load(load: LoadKeys, execution: Mapping[str, Any]) -> dict[str, Any]:
    retries = execution.get("retries", "none")
    timeout = execution.get("statement-timeout")
    allowed = execution.get("stop-after-failed-steps")
    return {
        "model": load.model,
        "arrivals": execution.get("arrivals") or "constant",
        "workers": load.concurrency,
        "generator": 0,
        "generators": 1,
        "segments": [segment.to_json() for segment in load.segments()],
        "retries": 0 if retries in ("none", None) else whole(retries, 0),
        "statement_timeout_seconds": seconds(timeout) if timeout else DEFAULT_STATEMENT_TIMEOUT_SECONDS,
        "samples": execution.get("samples") or "slice",
        "limits": limits(execution),
        "stop_after_failed_steps": None if allowed is None else whole(allowed, 1),
        "rate_profile": load.model == "open" and not load.steps,
        **({"think_time": load.think_time.to_json()} if load.think_time else {}),
    }


def limits(execution: Mapping[str, Any]) -> dict[str, float]:
    """Return the limits of a step: errors in percent, p99 in milliseconds; of faults: seconds and documents.

    Each only when it is set.
    """
    given = execution.get("limits") or {}
    result = {}
    if given.get("errors") is not None:
        result["errors_percent"] = percent(given["errors"])
    if given.get("p99") is not None:
        result["p99_ms"] = seconds(given["p99"]) * 1000
    if given.get("recovery") is not None:
        result["recovery_seconds"] = seconds(given["recovery"])
    if given.get("lost") is not None:
        result["lost"] = whole(given["lost"], 0)
    return result


def properties(values: Mapping[str, str]) -> str:
    """Return a Java properties file."""
    lines = []
    for key, value in values.items():
        escaped = "".join(char if " " <= char <= "~" else _escape(char) for char in value.replace("\\", "\\\\"))
        lines.append(f"{key}={escaped}\n")
    return "".join(lines)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def generator_properties(config: Mapping[str, Any]) -> str:
    """Return the properties file that JMeter gets; a generator runs no commands of faults, so it gets none."""
    faults = [
        {key: value for key, value in fault.items() if key not in COMMANDS} for fault in config.get("faults") or ()
    ]
    sent = {**config, "faults": faults} if faults else config
    return properties(
        {
            "shardload.config": json.dumps(sent, separators=(",", ":")),
            "shardload.workers": str(config["load"]["workers"]),
            "shardload.stdin": "watch",
            "summariser.name": "",
            "jmeter.save.saveservice.autoflush": "false",
        }
    )
