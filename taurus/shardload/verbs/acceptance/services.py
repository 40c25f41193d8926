"""Checks of a Jenkins and of a Grafana, through their own HTTP interfaces."""

from __future__ import annotations

import base64
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from shardload.config.paths.find import name_of_argument
from shardload.verbs.acceptance.calls import Failed
from shardload.verbs.acceptance.model import NotApplicable, Scene

JENKINS_USER, JENKINS_TOKEN = "SHARDLOAD_JENKINS_USER", "SHARDLOAD_JENKINS_TOKEN"
GRAFANA_TOKEN = "SHARDLOAD_GRAFANA_TOKEN"
_PATIENCE_SECONDS = 20
_MOST_BYTES = 20 << 20
_ADVICE = {401: ": the credentials are wrong", 403: ": the user lacks the right", 302: ": it requires a login"}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is for the address that the user named."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Follow nobody."""


# Asks for a path of a service; see _ask.
Ask = Callable[[str], Any]


def _ask(url: str, authorization: str, path: str) -> Any:
    """Return the answer of a path, or None for 404.

    :raises Failed: another status, no answer, or no JSON
    """
    headers = {"Accept": "application/json", **({"Authorization": authorization} if authorization else {})}
    shown = path.partition("?")[0]
    try:
        request = urllib.request.Request(url.rstrip("/") + path, headers=headers)
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=_PATIENCE_SECONDS) as response:
            return json.loads(response.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise Failed(f"GET {shown} answers status {error.code}{_ADVICE.get(error.code, '')}") from None
    except (OSError, ValueError) as error:
        raise Failed(f"GET {shown} gives no answer in JSON: {getattr(error, 'reason', error)}") from None


def _jenkins(scene: Scene) -> Ask:
    if not scene.options.jenkins:
        raise NotApplicable("no --jenkins was given")
    user, token = (scene.environment.get(name, "") for name in (JENKINS_USER, JENKINS_TOKEN))
    if bool(user) != bool(token):
        raise Failed(f"set {JENKINS_USER} and {JENKINS_TOKEN}, or neither")
    plain = base64.b64encode(f"{user}:{token}".encode()).decode()
    return partial(_ask, scene.options.jenkins, f"Basic {plain}" if user else "")


def _refuse(**faults: list[str]) -> None:
    """Fail with what is wrong, if anything is."""
    found = [f"{what.replace('_', ' ')}: {', '.join(names)}" for what, names in faults.items() if names]
    if found:
        raise Failed("; ".join(found))


def check_plugins(scene: Scene) -> str:
    """Compare the plugins of a Jenkins with those of jenkins/plugins.txt."""
    told = _jenkins(scene)("/pluginManager/api/json?depth=1&tree=plugins[shortName,version,active]")
    if not isinstance(told, dict):
        raise Failed("GET /pluginManager/api/json does not exist: is this the address of a Jenkins?")
    there = {each["shortName"]: each["version"] for each in told.get("plugins") or [] if each.get("active")}
    wanted = plugins_of(scene.places.root / "jenkins" / "plugins.txt")
    missing = [name for name in wanted if name not in there]
    other = [
        f"{name} {there[name]} instead of {wanted[name]}"
        for name in wanted
        if there.get(name, wanted[name]) != wanted[name]
    ]
    _refuse(not_installed_or_not_active=missing, of_another_version=other)
    return f"all {len(wanted)} plugins of jenkins/plugins.txt are active in their versions"


def plugins_of(file: Path) -> dict[str, str]:
    """Return the versions that plugins.txt asks for, by name."""
    return dict(re.findall(r"(?m)^([\w-]+):([^\s#]+)", file.read_text(encoding="utf-8")))


def check_jobs(scene: Scene) -> str:
    """Ask a Jenkins for each job that jenkins/jobs makes."""
    ask = _jenkins(scene)
    names = jobs_of(scene.places.root / "jenkins" / "jobs" / "targets.yml")
    paths = ["".join(f"/job/{urllib.parse.quote(part)}" for part in name.split("/")) for name in names]
    told = {name: ask(f"{path}/api/json?tree=name,buildable") for name, path in zip(names, paths)}
    disabled = [name for name, job in told.items() if job and job.get("buildable") is False]
    _refuse(missing=[name for name, job in told.items() if job is None], disabled=disabled)
    if name_of_argument(scene.target) not in [name.rpartition("/")[2] for name in names]:
        raise Failed("the jobs of jenkins/jobs exist, but none is for this target: generate them again")
    return f"all {len(names)} jobs of jenkins/jobs exist and are enabled"


def jobs_of(file: Path) -> list[str]:
    """Return the full names of the jobs, folders left out."""
    projects = [entry["project"] for entry in yaml.safe_load(file.read_text(encoding="utf-8")) if "project" in entry]
    return sorted(
        f"shardload/{'matrix' if project['name'].endswith('matrix') else settings['driver']}/{target}"
        for project in projects
        for entry in project["target"]
        for target, settings in entry.items()
    )


def check_grafana(scene: Scene) -> str:
    """Ask a Grafana for its health, the data source, and every dashboard of grafana/dashboards."""
    if not scene.options.grafana:
        raise NotApplicable("no --grafana was given")
    token = scene.environment.get(GRAFANA_TOKEN, "")
    ask = partial(_ask, scene.options.grafana, f"Bearer {token}" if token else "")
    health = ask("/api/health")
    if not isinstance(health, dict) or health.get("database") != "ok":
        raise Failed("its database is not healthy, or the address is not a Grafana (GET /api/health)")
    scene.facts["Grafana"] = str(health.get("version") or "?")
    files = sorted((scene.places.root / "grafana" / "dashboards").glob("*.json"))
    uids = [json.loads(file.read_text(encoding="utf-8"))["uid"] for file in files]
    missing = [uid for uid in uids if ask(f"/api/dashboards/uid/{uid}") is None]
    if missing:
        raise Failed(f"dashboards that are missing: {', '.join(missing)}")
    stores = [each["uid"] for each in ask("/api/datasources") or [] if each.get("type") == "prometheus"]
    if not stores:
        raise Failed("there is no data source of the type prometheus")
    states = {str((ask(f"/api/datasources/uid/{uid}/health") or {}).get("status")) for uid in stores}
    if "OK" not in states:
        raise Failed(f"no data source of the type prometheus is healthy: {', '.join(sorted(states))}")
    return f"healthy, its store answers, all {len(uids)} dashboards exist"
