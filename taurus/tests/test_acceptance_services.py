"""The checks of a Jenkins and a Grafana, on fakes of both."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from shardload.verbs.acceptance import services
from shardload.verbs.acceptance.calls import Failed
from shardload.verbs.acceptance.model import NotApplicable, Scene
from tests.conftest import TAURUS
from tests.fakes.fake_caller import scene
from tests.fakes.fake_services import FakeService

ROOT = TAURUS.parent
PLUGINS = services.plugins_of(ROOT / "jenkins" / "plugins.txt")
JOBS = services.jobs_of(ROOT / "jenkins" / "jobs" / "targets.yml")
UIDS = [json.loads(file.read_text())["uid"] for file in sorted((ROOT / "grafana" / "dashboards").glob("*.json"))]
JENKINS = {"SHARDLOAD_JENKINS_USER": "ann", "SHARDLOAD_JENKINS_TOKEN": "11ab"}
GRAFANA = {"SHARDLOAD_GRAFANA_TOKEN": "glsa_x"}


def made(tmp_path: Path, environment: dict, **given: Any) -> Scene:
    """Return a scene with the real lists of plugins, jobs and dashboards."""
    tmp_path.mkdir(exist_ok=True)
    for name in ("jenkins", "grafana"):
        (tmp_path / name).symlink_to(ROOT / name)
    result = scene(tmp_path, environment=environment, **given)
    result.target = "citus"
    return result


def jenkins() -> FakeService:
    plugins = [{"shortName": name, "version": version, "active": True} for name, version in PLUGINS.items()]
    replies: dict[str, Any] = {"/pluginManager/api/json": {"_class": "hudson.LocalPluginManager", "plugins": plugins}}
    for job in JOBS:
        path = "".join(f"/job/{part}" for part in job.split("/"))
        replies[f"{path}/api/json"] = {"name": job.rpartition("/")[2], "buildable": True}
    return FakeService("Basic " + base64.b64encode(b"ann:11ab").decode(), replies)


def test_the_lists_are_read_as_they_stand_in_the_checkout() -> None:
    assert PLUGINS["git"] == "5.10.1"
    assert PLUGINS["configuration-as-code"] == "2117.vc05a_0b_e6b_f4e"
    assert {"shardload/matrix/citus", "shardload/noop/noop"} <= set(JOBS)
    targets = {path.stem for path in (TAURUS / "targets").glob("*.yml")}
    assert {job.rpartition("/")[2] for job in JOBS} <= targets


def test_a_jenkins_with_everything_passes(tmp_path: Path) -> None:
    with jenkins().serving() as fake:
        there = made(tmp_path, JENKINS, jenkins=fake.url + "/")
        assert services.check_plugins(there).startswith(f"all {len(PLUGINS)} plugins")
        assert services.check_jobs(there) == f"all {len(JOBS)} jobs of jenkins/jobs exist and are enabled"
        there.target = "new"
        with pytest.raises(Failed, match="none is for this target"):
            services.check_jobs(there)


def test_what_a_jenkins_lacks_is_named(tmp_path: Path) -> None:
    fake = jenkins()
    plugins = fake.replies["/pluginManager/api/json"]["plugins"]
    plugins[0]["active"] = False
    plugins[1]["version"] = "1.0"
    del fake.replies["/job/shardload/job/matrix/job/citus/api/json"]
    fake.replies["/job/shardload/job/noop/job/noop/api/json"]["buildable"] = False
    with fake.serving():
        there = made(tmp_path, JENKINS, jenkins=fake.url)
        with pytest.raises(
            Failed,
            match=f"not active: {plugins[0]['shortName']}; of another version: {plugins[1]['shortName']} 1.0 instead",
        ):
            services.check_plugins(there)
        with pytest.raises(Failed, match="missing: shardload/matrix/citus; disabled: shardload/noop/noop"):
            services.check_jobs(there)


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ((403, {}), "answers status 403: the user lacks the right"),
        ((302, {}), "answers status 302: it requires a login"),
        ((500, {}), "answers status 500"),
        ((404, {}), "is this the address of a Jenkins"),
    ],
)
def test_a_jenkins_that_does_not_answer_so(tmp_path: Path, reply: tuple, line: str) -> None:
    fake = jenkins()
    fake.replies["/pluginManager/api/json"] = reply
    with fake.serving(), pytest.raises(Failed, match=line):
        services.check_plugins(made(tmp_path, JENKINS, jenkins=fake.url))


def test_credentials_come_from_the_environment_alone(tmp_path: Path) -> None:
    with jenkins().serving() as fake:
        with pytest.raises(Failed, match="set SHARDLOAD_JENKINS_USER and SHARDLOAD_JENKINS_TOKEN, or neither"):
            services.check_jobs(made(tmp_path / "a", {"SHARDLOAD_JENKINS_USER": "ann"}, jenkins=fake.url))
        with pytest.raises(Failed, match="the credentials are wrong"):
            services.check_jobs(made(tmp_path / "b", {}, jenkins=fake.url))
    with pytest.raises(NotApplicable, match="no --jenkins was given"):
        services.check_jobs(made(tmp_path / "c", JENKINS))
    with pytest.raises(Failed, match="gives no answer"):
        services.check_jobs(made(tmp_path / "d", JENKINS, jenkins=fake.url))


def grafana() -> FakeService:
    replies: dict[str, Any] = {
        "/api/health": {"commit": "abc", "database": "ok", "version": "12.3.1"},
        "/api/datasources": [
            {"id": 1, "uid": "shardload", "type": "prometheus"},
            {"id": 2, "uid": "l", "type": "loki"},
        ],
        "/api/datasources/uid/shardload/health": {"message": "Successfully queried the API.", "status": "OK"},
    }
    replies |= {f"/api/dashboards/uid/{uid}": {"dashboard": {"uid": uid}, "meta": {}} for uid in UIDS}
    return FakeService("Bearer glsa_x", replies)


def test_a_grafana_with_everything_passes(tmp_path: Path) -> None:
    with grafana().serving() as fake:
        there = made(tmp_path, GRAFANA, grafana=fake.url)
        assert services.check_grafana(there) == f"healthy, its store answers, all {len(UIDS)} dashboards exist"
        assert there.facts["Grafana"] == "12.3.1"
    with pytest.raises(NotApplicable, match="no --grafana was given"):
        services.check_grafana(made(tmp_path / "b", GRAFANA))


@pytest.mark.parametrize(
    ("path", "reply", "line"),
    [
        ("/api/health", {"database": "failing"}, "database is not healthy"),
        ("/api/health", [], "is not a Grafana"),
        ("/api/datasources", [], "no data source of the type prometheus"),
        ("/api/datasources", (403, {}), "the user lacks the right"),
        ("/api/datasources/uid/shardload/health", {"status": "ERROR"}, "type prometheus is healthy: ERROR"),
        (f"/api/dashboards/uid/{UIDS[0]}", (404, {}), f"dashboards that are missing: {UIDS[0]}"),
    ],
)
def test_what_a_grafana_lacks_is_named(tmp_path: Path, path: str, reply: Any, line: str) -> None:
    fake = grafana()
    fake.replies[path] = reply
    with fake.serving(), pytest.raises(Failed, match=line):
        services.check_grafana(made(tmp_path, GRAFANA, grafana=fake.url))


def test_a_wrong_token(tmp_path: Path) -> None:
    wrong = {"SHARDLOAD_GRAFANA_TOKEN": "old"}
    with grafana().serving() as fake, pytest.raises(Failed, match="the credentials are wrong"):
        services.check_grafana(made(tmp_path, wrong, grafana=fake.url))
