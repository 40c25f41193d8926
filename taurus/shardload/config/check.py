"""Checking the whole merged configuration: every key is known and has an effect, or it is refused.

What only the driver and the workload can know (their options, the names of transactions) is checked by the Java child.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from shardload.config import keys, shapes
from shardload.config.commands import check_commands
from shardload.config.effective import Checked
from shardload.config.hosts import read_hosts
from shardload.config.merge import KeyPath, Merged, kinds_of
from shardload.config.metrics import ServerHost, read_listen, read_server_hosts
from shardload.config.problem import Problem, Problems, nearest, unknown
from shardload.config.secrets import check_secrets
from shardload.config.store import read_host_metrics, read_store
from shardload.config.values.criteria import Criterion, parse_for
from shardload.config.values.faults import Fault, read_faults
from shardload.config.values.labels import Labels, read_labels
from shardload.config.values.mixes import WrongSum, check_mix, one_item
from shardload.config.values.schedule import LoadKeys, read_load_keys
from shardload.config.values.search import Plan, read_search
from shardload.config.values.sections import check_profile, unknown_section
from shardload.config.values.stages import stage_faults
from shardload.config.workload.section import option_keys, read_workload

T = TypeVar("T")
_ARTIFACTS = re.compile(r"\.shardload/taurus/[^/$~]*[^/$~.]+")
_DISK = re.compile(r"[1-9][0-9]*(MiB|GiB)")
_OF_ADDRESS = "cannot be combined with embedded, which starts its own server; choose another target with --target"


class Refused(Problems):
    """What is wrong with a configuration.

    ``readable`` has the sections that the child reads, if they have no problem, and otherwise nothing. ``sums`` are
    those lines that say no more than a sum: the child may find a misspelt transaction behind it.
    """

    def __init__(self, lines: list[str], readable: Checked | None, sums: Collection[str] = ()) -> None:
        super().__init__(lines)
        self.readable = readable
        self.sums = sums


def check(merged: Merged, needs_load: bool = True) -> Checked:
    """Check a merged configuration; without ``needs_load`` it may lack a profile."""
    return _Checker(merged).check(needs_load)


class _Checker:
    """Reads the sections and notes each problem with the place of its key, so that one message reports all of them."""

    def __init__(self, merged: Merged) -> None:
        self.merged = merged
        self.config = merged.config
        self.found: list[str] = []
        self.sums: list[str] = []

    def _note(self, path: KeyPath, text: str) -> None:
        """Go on, so that all problems come out together."""
        self.found.append(f"{self.merged.place(path)}: {text}")

    def _try(self, action: Callable[[], T]) -> T | None:
        """Return what the action returns, or note its problem."""
        try:
            return action()
        except Problem as problem:
            self.found.append(str(problem))
            return None

    def _at(self, path: KeyPath, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except Problem as problem:
            raise Problem(f"{self.merged.place((*path, *problem.path))}: {problem}") from None

    def check(self, needs_load: bool) -> Checked:
        # Alone: what else is wrong might repeat a secret.
        check_secrets(self.merged)
        self._top()
        self._try(lambda: check_profile([(source.shown, source.content) for source in self.merged.sources]))
        self._try(self._settings)
        self._try(lambda: check_commands(self.merged))
        before = len(self.found)
        target = self._try(self._target) or {}
        is_target_right = bool(target)
        workload = self._try(lambda: read_workload(self.merged, self._fits, self._note)) or {}
        schema = self._try(self._schema) or {}
        is_readable = len(self.found) == before
        scenarios = self._try(self._scenarios) or {}
        execution = (self._try(lambda: self._execution(scenarios)) if needs_load else None) or {}
        name = str((execution if needs_load else self._first_item()).get("scenario") or "mix")
        if scenarios and name not in scenarios:
            self._note(("execution", 0, "scenario"), unknown("scenario", name, scenarios))
        load = self._try(lambda: self._at(("execution", 0), lambda: read_load_keys(execution))) if execution else None
        search = self._try(lambda: self._search(execution, load)) if load else None
        criteria = self._try(lambda: self._reporting(scenarios.get(name) or {})) or []
        faults = self._try(lambda: self._faults(target, load, criteria)) if load and is_target_right else None
        self._listed("services")
        labels = self._try(self._labels)
        hosts, listen, store, metrics = None, None, None, ""
        servers: tuple[ServerHost, ...] = ()
        if is_target_right:
            if load:
                hosts = self._try(lambda: read_hosts(self.merged, target, execution, load.concurrency))
                listen = self._try(lambda: read_listen(self.merged, target, hosts is not None))
                store = self._try(lambda: read_store(self.merged, target.get("metrics")))
            servers = self._try(lambda: read_server_hosts(self.merged, target)) or ()
            metrics = self._try(lambda: read_host_metrics(self.merged, target)) or ""
        if self.found:
            mix = scenarios.get(name) if is_readable else None
            rest = Checked(self.merged, target, schema, workload, name, mix, set(mix)) if mix else None
            raise Refused(self.found, rest, self.sums)
        named = {str(key) for scenario in self.config["scenarios"].values() for key in scenario["mix"]}
        return Checked(
            self.merged, target, schema, workload, name, scenarios[name], named, execution, load, hosts, criteria,
            listen, store, servers, metrics, search, faults or (), labels or Labels(),
        )  # fmt: skip

    def _fits(self, path: KeyPath, value: Any, node: shapes.Node, skip_foreign: bool = False) -> bool:
        """Note what does not fit a schema, and return whether the rest can be read.

        With ``skip_foreign`` only what the user's files hold counts, not Taurus's own.
        """
        fits = True
        for fault in shapes.faults(path, value, node):
            if not (skip_foreign and self.merged.where(fault.path) is None):
                self._note(fault.path, fault.text)
                fits = fits and fault.leaves_rest_readable
        return fits

    def _top(self) -> None:
        for key in self.config:
            if key not in (*shapes.sections(), *keys.FROM_TAURUS) and not key.startswith(keys.FOR_ANCHORS):
                self._note((key,), unknown_section(key))
        if self.config.get("included-configs"):
            self._note(("included-configs",), "exactly four files are merged; put the keys into one of them")
        for key in keys.OF_TAURUS_ALONE:
            if self.merged.where((key,)):
                self._note((key,), "belongs to Taurus and has no effect here")

    def _settings(self) -> None:
        nodes = {**shapes.sections(), "cli": keys.CLI}
        for section in ("settings", "modules", "provisioning", "cli"):
            if section in self.config:
                self._fits((section,), self.config[section], nodes[section], skip_foreign=True)
        settings = self.config.get("settings")
        # Taurus expands variables of the environment in it; they may be secrets.
        if isinstance(settings, Mapping) and not _ARTIFACTS.fullmatch(str(settings.get("artifacts-dir"))):
            self._note(("settings", "artifacts-dir"), "Taurus's artifacts belong in the bundle, runs/<run-id>/taurus")

    def _target(self) -> dict[str, Any]:
        target = self.config.get("target")
        if target is None:
            raise Problem("no target: exactly one of the files must come from taurus/targets")
        node = shapes.sections()["target"]
        if isinstance(target, Mapping):
            # The rest can be read without these.
            for key in ("hosts", "metrics", "price"):
                value = target.get(key)
                if value is not None and not self._fits(("target", key), value, node["properties"][key]):
                    target = {name: item for name, item in target.items() if name != key}
        if not self._fits(("target",), target, node):
            return {}
        self._embedded(target)
        return dict(target)

    def _embedded(self, target: Mapping[str, Any]) -> None:
        for key in ("embedded-heap", "embedded-disk", "embedded-settings"):
            if target.get(key) is not None and not target.get("embedded"):
                self._note(("target", key), "requires embedded")
        if (size := target.get("embedded-disk")) is not None and not _DISK.fullmatch(str(size)):
            self._note(("target", "embedded-disk"), f'"{size}" is not a size; write 512MiB or 4GiB')
        if target.get("embedded"):
            for key in ("url", "user"):
                if target.get(key) is not None:
                    self._note(("target", key), _OF_ADDRESS)

    def _schema(self) -> dict[str, Any]:
        """Return how tables are to be made; its keys are the driver's own, which alone can check them."""
        schema = self.config.get("schema") or {}
        if not isinstance(schema, Mapping):
            self.merged.refuse(("schema",), "must be a mapping")
        self._schema_keys(schema)
        return dict(schema)

    def _schema_keys(self, schema: Mapping[str, Any]) -> None:
        """Refuse what the workload's tables do not follow; a target file serves other workloads as well."""
        of_options = option_keys(self.merged, "schema")
        for key, value in schema.items():
            path = ("schema", key)
            held = self.merged.line(path)
            of_target = held is not None and "target" in kinds_of(held[0])
            if value is not None and not of_target and key not in (*keys.SCHEMA_OF_FOLDERS, *of_options):
                no_effect = "has no effect on this workload: its own schema file makes tables and indexes"
                self._note(path, unknown("option", key, of_options) if nearest(str(key), of_options) else no_effect)

    def _scenarios(self) -> dict[str, dict[str, Decimal]]:
        scenarios = self.config.get("scenarios")
        if not scenarios:
            raise Problem("no scenarios: the workload file must contain at least one, with its mix")
        if not self._fits(("scenarios",), scenarios, shapes.sections()["scenarios"]):
            return {}
        mixes = {}
        for name, scenario in scenarios.items():
            path = ("scenarios", name, "mix")
            checked = partial(self._at, path, partial(self._mix, path, scenario["mix"]))
            mixes[str(name)] = self._try(checked) or {}
        return mixes

    def _mix(self, path: KeyPath, mix: Any) -> dict[str, Decimal]:
        try:
            return check_mix(mix)
        except WrongSum as problem:
            self._note(path, f"{problem}{self._merged_from(path, problem.shares)}")
            self.sums.append(self.found[-1])
            return problem.shares

    def _merged_from(self, path: KeyPath, shares: Iterable[str]) -> str:
        """Return which files a mix was merged from, and how one replaces the other; nothing where one file says all."""
        wanted = {self.merged.where((*path, name)) for name in shares}
        files = [source.shown for source in self.merged.sources if source.shown in wanted]
        if len(files) < 2:
            return ""
        said = f"{', '.join(files[:-1])} and {files[-1]}"
        return f"; the shares of {said} were merged: ~mix instead of mix in {files[-1]} replaces the other shares"

    def _first_item(self) -> Mapping[str, Any]:
        """Return what a command without load was given of an execution: with -o, a scenario alone."""
        items = self.config.get("execution")
        item = items[0] if isinstance(items, list) and items else items
        return item if isinstance(item, Mapping) else {}

    def _execution(self, scenarios: Mapping[str, Mapping[str, Decimal]]) -> dict[str, Any]:
        items = self.config.get("execution")
        items = [items] if isinstance(items, Mapping) else items
        if items and not isinstance(items, list):
            self.merged.refuse(("execution",), "must be a list of one item, such as - {concurrency: 8, hold-for: 1m}")
        if not items:
            raise Problem("no execution: exactly one of the files must come from taurus/profiles")
        if len(items) > 1:
            self.merged.refuse(("execution",), one_item(items, scenarios))
        item, path = items[0], ("execution", 0)
        if isinstance(item, Mapping) and "iterations" in item:
            self._note((*path, "iterations"), "a run has a duration, not a number of iterations; use hold-for")
            item = {key: value for key, value in item.items() if key != "iterations"}
        # A file may leave the concurrency to the command line; here all are merged.
        if not self._fits(path, item, {**shapes.sections()["execution"], "required": ["concurrency"]}):
            return {}
        for relative, text in stage_faults(item):
            self._note((*path, *relative), text)
        if item.get("arrivals") and item.get("throughput") is None and item.get("stages") is None:
            self._note((*path, "arrivals"), "requires throughput")
        if item.get("stop-after-failed-steps") is not None and item.get("steps") is None:
            self._note((*path, "stop-after-failed-steps"), "requires steps")
        return dict(item)

    def _search(self, execution: Mapping[str, Any], load: LoadKeys) -> Plan | None:
        section = self.config.get("search")
        if section is None or not self._fits(("search",), section, shapes.sections()["search"]):
            return None
        for key in ("steps", "stages"):
            if execution.get(key) is not None:
                self._note(("execution", 0, key), "each run of a search has one rate; remove it, or the section search")
        plan: Plan = self._at(("search",), lambda: read_search(section, load))
        return plan

    def _faults(self, target: Mapping[str, Any], load: LoadKeys, criteria: Sequence[Criterion]) -> list[Fault]:
        """Return the faults of the run; what they need of the load is a rate that is the same before and after."""
        limits = self._first_item().get("limits") or {}
        section = self.config.get("faults")
        if section is None:
            for key in ("recovery", "lost"):
                if limits.get(key) is not None:
                    self._note(("execution", 0, "limits", key), "requires faults")
            return []
        if not self._fits(("faults",), section, shapes.sections()["faults"]):
            return []
        if self.config.get("search") is not None:
            self._note(("faults",), "cannot be combined with search, whose runs would not be alike")
        for criterion in criteria:
            if criterion.is_live:
                self._note(("faults",), f'cannot be combined with "{criterion.text}", which is judged during faults')
        seed = int((self.config.get("workload") or {}).get("seed") or 1)
        found: list[Fault] = self._at(("faults",), lambda: read_faults(section, target, load, seed))
        return found

    def _labels(self) -> Labels | None:
        section = self.config.get("run")
        if section is None or not self._fits(("run",), section, shapes.sections()["run"]):
            return None
        labels: Labels = self._at(("run",), lambda: read_labels(section))
        return labels

    def _listed(self, section: str) -> list[Mapping[str, Any]]:
        """Return the modules of a section, if they fit; Taurus takes a name alone for a module without settings."""
        items = self.config.get(section)
        if isinstance(items, list):
            items = [{"module": item} if isinstance(item, str) else item for item in items]
        return items if items is not None and self._fits((section,), items, shapes.sections()[section]) else []

    def _reporting(self, mix: Collection[str]) -> list[Criterion]:
        criteria = []
        for index, item in enumerate(self._listed("reporting")):
            for number, text in enumerate(item["criteria"] if item["module"] == "passfail" else ()):
                where = ("reporting", index, "criteria", number)
                criterion = self._try(partial(self._at, where, partial(parse_for, text, mix)))
                criteria.extend([criterion] if criterion else [])
        return criteria
