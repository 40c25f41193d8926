"""The verb ``scrape-config``: what a store must scrape to see runs on targets, in Prometheus' format."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from shardload.config import effective
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import merge
from shardload.config.metrics import NODE_PORT, ServerHost
from shardload.config.paths.find import find_file, name_of_argument
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal

WORKLOAD = "document-store"
MARK = "# written by shardload scrape-config"
SERVER_METRICS = "127.0.0.1:9465"

_ADDRESS = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:]+\]):(\d+)")
_HINTS = """\
# Prometheus:      --config.file=FILE
# VictoriaMetrics: -promscrape.config=FILE -promscrape.fileSDCheckInterval=1s -search.latencyOffset=1s
"""


@dataclass(frozen=True)
class _Subject:
    """A target, and the hosts with a node_exporter."""

    name: str
    has_server: bool
    hosts: Sequence[ServerHost]


def scrape_config(options: argparse.Namespace, places: Places) -> int:
    """Print the scrape configuration, or write it."""
    for address in options.server_metrics:
        _check_address(address)
    os.chdir(places.root)
    names = list(dict.fromkeys(options.target))
    subjects = [_subject(name, options, places) for name in names]
    folder = options.discovery_dir or _folder(places)
    text = _text(names, _jobs(subjects, folder.rstrip("/"), options.server_metrics))
    if options.output is None:
        sys.stdout.write(text)
        return 0
    file = (STARTED_IN / options.output).resolve()
    _write(file, text)
    counts = [f"{subject.name}: {len(subject.hosts)} host{'s'[: len(subject.hosts) != 1]}" for subject in subjects]
    Terminal().line(f"wrote {places.show(file)} ({', '.join(counts)})")
    return 0


def _folder(places: Places) -> str:
    """Make the folder: a store that is started before the first run watches what is there."""
    try:
        places.metrics.mkdir(parents=True, exist_ok=True)
        places.metrics.chmod(0o755)
    except OSError as error:
        raise Problem(f"cannot make {places.metrics}: {error.strerror}") from error
    return str(places.metrics)


# --- the hosts


def _subject(name: str, options: argparse.Namespace, places: Places) -> _Subject:
    files = [places.taurus / "base.yml", find_file(places, "target", name), find_file(places, "workload", WORKLOAD)]
    checked = check(merge(files, options.option, places), needs_load=False)
    embedded, url = bool(checked.target.get("embedded")), bool(checked.target.get("url"))
    hosts: Sequence[ServerHost] = checked.server_hosts
    if not hosts and (embedded or not url):
        hosts = [ServerHost("localhost", NODE_PORT, "primary" if embedded else "generator")]
    return _Subject(
        name_of_argument(name), embedded or url, _with_all_roles(hosts or _ask_cluster(name, checked, places))
    )


def _ask_cluster(name: str, checked: Checked, places: Places) -> list[ServerHost]:
    terminal = Terminal(sys.stderr)  # standard output is for the configuration alone
    stop = StopRequest(terminal.line).install()
    config = effective.build(checked, f"scrape-config-{name_of_argument(name)}", None, "scrape-config")
    advice = f"name them in the key hosts of {places.show(find_file(places, 'target', name))}"
    try:
        with Session(config, checked.merged, places, terminal, None) as session:
            told = session.call("server-hosts", stop.is_made).get("hosts") or []
    except (ChildError, ChildDied) as error:
        raise Problem(f"cannot ask {name_of_argument(name)} for its hosts: {describe(error)}; {advice}") from None
    if not told:
        raise Problem(f"{name_of_argument(name)} does not report its hosts; {advice}")
    return [ServerHost(str(one["host"]), NODE_PORT, str(one["role"])) for one in told]


def _with_all_roles(hosts: Iterable[ServerHost]) -> list[ServerHost]:
    """Return each machine once: with two servers on it, it would be counted twice."""
    roles: dict[tuple[str, int], list[str]] = {}
    for host in hosts:
        known = roles.setdefault((host.host, host.port), [])
        if host.role not in known:
            known.append(host.role)
    return [ServerHost(host, port, ",".join(known)) for (host, port), known in roles.items()]


# --- the text


def _jobs(subjects: Sequence[_Subject], folder: str, server_metrics: Sequence[str]) -> list[dict[str, Any]]:
    jobs = [_job("shardload", "1s", file_sd_configs=[{"files": [f"{folder}/*.json"]}])]
    if server_metrics or any(subject.has_server for subject in subjects):
        jobs.append(
            _job("shardload-server", "5s", static_configs=[{"targets": list(server_metrics) or [SERVER_METRICS]}])
        )
    nodes = [_node(subject, host) for subject in subjects for host in subject.hosts]
    return [*jobs, _job("node", "5s", static_configs=nodes)]


def _job(name: str, every: str, **more: Any) -> dict[str, Any]:
    return {"job_name": name, "scrape_interval": every, "scrape_timeout": every, **more}


def _node(subject: _Subject, host: ServerHost) -> dict[str, Any]:
    address = f"[{host.host}]:{host.port}" if ":" in host.host else f"{host.host}:{host.port}"
    # Behind one address there may be several machines.
    is_only = sum(other.host == host.host for other in subject.hosts) == 1
    labels = {"target": subject.name, "host": host.host if is_only else address, "role": host.role}
    return {"targets": [address], "labels": labels}


def _text(names: Sequence[str], jobs: list[dict[str, Any]]) -> str:
    head = f"{MARK} {' '.join(f'--target {name}' for name in names)}, which may overwrite it\n{_HINTS}"
    return head + yaml.safe_dump({"scrape_configs": jobs}, sort_keys=False, width=1000)


def _check_address(address: str) -> None:
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise Problem(f'--server-metrics: "{address}" is not an address; write host:port, as {SERVER_METRICS}')
    if not 1 <= int(match[1]) <= 65535:
        raise Problem(f"--server-metrics: port {match[1]} is not between 1 and 65535")


def _write(file: Path, text: str) -> None:
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        if file.exists() and not file.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            raise Problem(f"{file} exists and was not written by scrape-config; remove it, or name another file")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.chmod(0o644)  # the store is somebody else; there is no secret in it
        unfinished.replace(file)
    except OSError as error:
        raise Problem(f"cannot write {file}: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
