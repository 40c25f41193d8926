"""The verb ``dashboards``: a store, node_exporter, server-metrics and Grafana on this machine, without Docker."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

import yaml

from shardload import exit_codes
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal
from shardload.verbs.scrape_config import scrape_config

# Each by the names that its own archive and Debian give it, where it listens, and where to get it.
_PROGRAMS = {
    "store": (("victoria-metrics", "victoria-metrics-prod"), "http://127.0.0.1:8428", ""),
    "machine": (("node_exporter", "prometheus-node-exporter"), "127.0.0.1:9100", "node_exporter, for CPU and IOPS"),
    "grafana": (("grafana",), "http://127.0.0.1:3000", "unpack grafana.com/grafana/download, put its bin on PATH"),
}
_NO_STORE = """\
no victoria-metrics found; put it on PATH, or on Debian unpack it, which installs nothing:
  mkdir -p .shardload/stores && cd .shardload/stores && apt-get download victoria-metrics prometheus-node-exporter &&
    for package in *.deb; do dpkg-deb --extract "$package" .; done"""
_IN_COMPOSE = "/etc/grafana/shardload"


def dashboards(options: argparse.Namespace, places: Places) -> int:
    """Start what there is with the settings of the compose file, name what is missing, and end it all at a signal."""
    terminal, home, grafana = Terminal(), places.home / "dashboards", places.root / "grafana"
    path = os.pathsep.join([os.environ.get("PATH", ""), str(places.home / "stores" / "usr" / "bin")])
    found = {
        name: next(filter(None, (shutil.which(each, path=path) for each in names)), "")
        for name, (names, _, _) in _PROGRAMS.items()
    }
    if not found["store"]:
        raise Problem(_NO_STORE)
    shutil.copytree(grafana / "provisioning", home / "provisioning", dirs_exist_ok=True)
    for file in (home / "provisioning").rglob("*.yml"):
        text = file.read_text(encoding="utf-8").replace(_IN_COMPOSE, str(grafana / "dashboards"))
        file.write_text(text, encoding="utf-8")
    asked = {"target": [options.target], "output": f"{home}/scrape.yml", "discovery_dir": None, "server_metrics": []}
    scrape_config(argparse.Namespace(**{**vars(options), **asked}), places)
    services = yaml.safe_load((grafana / "compose.yml").read_text(encoding="utf-8"))["services"]
    flags = [*services["victoria-metrics"]["command"], f"-storageDataPath={home}/store"]
    arguments = {
        "store": [*flags, f"-promscrape.config={home}/scrape.yml"],
        "machine": ["--web.listen-address=127.0.0.1:9100"],
        "grafana": ["server"],
    }
    settings = services["grafana"]["environment"].items()
    os.environ.update({name: value.replace(_IN_COMPOSE, str(grafana / "dashboards")) for name, value in settings})
    # Its own files are next to bin in its archive.
    unpacked = Path(found["grafana"]).resolve().parent.parent
    folders = {"HOME": unpacked if (unpacked / "public").is_dir() else "/usr/share/grafana", "DATA": home / "grafana"}
    folders |= {"PROVISIONING": home / "provisioning", "LOGS": home / "grafana", "PLUGINS": home / "grafana"}
    os.environ.update({f"GF_PATHS_{name}": str(folder) for name, folder in folders.items()})
    stop, processes = StopRequest(terminal.line).install(), dict[str, subprocess.Popen[bytes]]()
    try:
        for name, (_, address, hint) in _PROGRAMS.items():
            terminal.line(f"{name:9} {address if found[name] else f'missing: {hint}'}")
            if found[name]:
                with (home / f"{name}.log").open("wb") as log:
                    command = [found[name], *arguments[name]]
                    processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if "shardload-server" in (home / "scrape.yml").read_text(encoding="utf-8"):
            verb = ["server-metrics", "--target", options.target, *(f"--option={each}" for each in options.option)]
            command = [sys.executable, "-m", "shardload", *verb]
            processes["server-metrics"] = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        while not stop.is_made():
            for name in [name for name, process in processes.items() if process.poll() is not None]:
                where = f"see {places.show(home / name)}.log" if name in _PROGRAMS else "its message is above"
                terminal.line(f"{name} ended with {processes.pop(name).returncode}: {where}")
                if name == "store":
                    return exit_codes.PART_DIED
            time.sleep(0.2)
    finally:
        end(processes.values())
    return exit_codes.OK


def end(processes: Collection[subprocess.Popen[bytes]], patience_seconds: float = 10) -> None:
    """Ask processes to end, and kill those that do not within some seconds."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + patience_seconds
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
