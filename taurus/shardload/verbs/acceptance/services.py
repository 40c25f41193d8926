"""Checks of a Jenkins and of a Grafana, through their own HTTP interfaces."""

from __future__ import annotations

import base64
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from shardload.config.paths.find import name_of_argument
from shardload.config.problem import Problem
from shardload.verbs.acceptance.model import Failed, NotApplicable, Scene

JENKINS_USER, JENKINS_TOKEN = "SHARDLOAD_JENKINS_USER", "SHARDLOAD_JENKINS_TOKEN"
GRAFANA_TOKEN = "SHARDLOAD_GRAFANA_TOKEN"
_PATIENCE_SECONDS = 20
_MOST_BYTES = 20 << 20
_PLUGIN = re.compile(r"([\w-]+):([^\s#]+)")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is for the address that the user named."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Follow nobody."""


class Service:
    """An HTTP interface that answers JSON."""

    def __init__(self, url: str, authorization: str) -> None:
        self._url = url.rstrip("/")
        self._authorization = authorization
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, path: str) -> Any:
        """Return the answer of a path, or None for 404.

        :raises Failed: another status, no answer, or no JSON
        """
        request = urllib.request.Request(self._url + path, headers={"Accept": "application/json"})
        if self._authorization:
            request.add_header("Authorization", self._authorization)
        shown = path.partition("?")[0]
        try:
            with self._opener.open(request, timeout=_PATIENCE_SECONDS) as response:
                return json.loads(response.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise Failed(f"GET {shown} answers status {error.code}{_advice(error.code)}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise Failed(f"GET {shown} gives no answer in JSON: {reason}") from None


def _advice(status: int) -> str:
    return {401: ": the credentials are wrong", 403: ": the user lacks the right", 302: ": it requires a login"}.get(
        status, ""
    )


def check_url(flag: str, url: str) -> None:
    """Refuse what is not an address of a service; an address never contains a secret."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Problem(f"{flag}: is not an address such as https://ci.example.com")
    if parts.username is not None or parts.query or parts.fragment:
        raise Problem(f"{flag}: user, query and fragment do not belong there; secrets come from the environment")


def _jenkins(scene: Scene) -> Service:
    if not scene.options.jenkins:
        raise NotApplicable("no --jenkins was given")
    user, token = (scene.environment.get(name, "") for name in (JENKINS_USER, JENKINS_TOKEN))
    if bool(user) != bool(token):
        raise Failed(f"set {JENKINS_USER} and {JENKINS_TOKEN}, or neither")
    plain = base64.b64encode(f"{user}:{token}".encode()).decode()
    return Service(scene.options.jenkins, f"Basic {plain}" if user else "")


def check_plugins(scene: Scene) -> str:
    """Compare the plugins of a Jenkins with those of jenkins/plugins.txt."""
    service = _jenkins(scene)
    told = service.ask("/pluginManager/api/json?depth=1&tree=plugins[shortName,version,active]")
    if not isinstance(told, dict):
        raise Failed("GET /pluginManager/api/json does not exist: is this the address of a Jenkins?")
    there = {each["shortName"]: each for each in told.get("plugins") or []}
    wanted = plugins_of(scene.places.root / "jenkins" / "plugins.txt")
    missing = [name for name in wanted if not there.get(name, {}).get("active")]
    other = [
        f"{name} {there[name]['version']} instead of {version}"
        for name, version in wanted.items()
        if name not in missing and there[name]["version"] != version
    ]
    if missing or other:
        absent = f"not installed or not active: {', '.join(missing)}" if missing else ""
        raise Failed("; ".join(part for part in (absent, ", ".join(other)) if part))
    return f"all {len(wanted)} plugins of jenkins/plugins.txt are active in their versions"


def plugins_of(file: Path) -> dict[str, str]:
    """Return the versions that plugins.txt asks for, by name."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {match[1]: match[2] for match in map(_PLUGIN.match, lines) if match}


def check_jobs(scene: Scene) -> str:
    """Ask a Jenkins for each job that jenkins/jobs makes."""
    service = _jenkins(scene)
    names = jobs_of(scene.places.root / "jenkins" / "jobs" / "targets.yml")
    missing, disabled = [], []
    for name in names:
        path = "".join(f"/job/{urllib.parse.quote(part)}" for part in name.split("/"))
        told = service.ask(f"{path}/api/json?tree=name,buildable")
        if told is None:
            missing.append(name)
        elif told.get("buildable") is False:
            disabled.append(name)
    if missing or disabled:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        raise Failed("; ".join([*parts, *([f"disabled: {', '.join(disabled)}"] if disabled else [])]))
    if not any(name.rpartition("/")[2] == name_of_argument(scene.target) for name in names):
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
    service = Service(scene.options.grafana, f"Bearer {token}" if token else "")
    health = service.ask("/api/health")
    if not isinstance(health, dict) or health.get("database") != "ok":
        raise Failed("its database is not healthy, or the address is not a Grafana (GET /api/health)")
    scene.facts["Grafana"] = str(health.get("version") or "?")
    files = sorted((scene.places.root / "grafana" / "dashboards").glob("*.json"))
    dashboards = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    missing = [each["uid"] for each in dashboards if service.ask(f"/api/dashboards/uid/{each['uid']}") is None]
    if missing:
        raise Failed(f"dashboards that are missing: {', '.join(missing)}")
    sources = service.ask("/api/datasources")
    stores = [each for each in sources or [] if each.get("type") == "prometheus"]
    if not stores:
        raise Failed("there is no data source of the type prometheus")
    states = {str((service.ask(f"/api/datasources/uid/{each['uid']}/health") or {}).get("status")) for each in stores}
    if "OK" not in states:
        raise Failed(f"no data source of the type prometheus is healthy: {', '.join(sorted(states))}")
    return f"healthy, its store answers, all {len(dashboards)} dashboards exist"
