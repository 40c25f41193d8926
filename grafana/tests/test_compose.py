"""The compose file, the provisioning and the scrape configuration: what can be seen without a container engine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs import ROOT

GRAFANA = ROOT / "grafana"
DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+")


def read(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return dict(read(GRAFANA / "compose.yml")["services"])


def test_images_are_pinned_and_have_health_checks(services: dict[str, dict[str, Any]]) -> None:
    assert list(services) == ["grafana", "victoria-metrics", "node-exporter"]
    for name, service in services.items():
        assert PINNED.fullmatch(service["image"]), name
        assert service["healthcheck"]["test"], name


def test_all_listen_on_loopback_only(services: dict[str, dict[str, Any]]) -> None:
    assert {service["network_mode"] for service in services.values()} == {"host"}
    assert services["grafana"]["environment"]["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert "-httpListenAddr=127.0.0.1:8428" in services["victoria-metrics"]["command"]
    assert "--web.listen-address=127.0.0.1:9100" in services["node-exporter"]["command"]


def test_nobody_can_log_in_with_a_default_password(services: dict[str, dict[str, Any]]) -> None:
    environment = services["grafana"]["environment"]
    assert environment["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert environment["GF_AUTH_BASIC_ENABLED"] == "false"
    assert environment["GF_AUTH_DISABLE_LOGIN_FORM"] == "true"
    assert environment["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"


def test_the_image_is_of_the_release_that_the_dashboards_are_made_for(services: dict[str, dict[str, Any]]) -> None:
    pins = (ROOT / "taurus" / "constraints-dev.txt").read_text(encoding="utf-8")
    pinned = re.search(r"^grafana-foundation-sdk==\d+!(\d+\.\d+)", pins, re.MULTILINE)
    assert pinned is not None
    assert services["grafana"]["image"].startswith(f"grafana/grafana:{pinned[1]}.")


def test_what_is_mounted_is_there(services: dict[str, dict[str, Any]]) -> None:
    named = set(read(GRAFANA / "compose.yml")["volumes"])
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source = volume["source"] if isinstance(volume, dict) else DEFAULT.sub(r"\1", volume).split(":")[0]
            is_made_by_a_run = source == "../.shardload/metrics"
            assert is_made_by_a_run or source in named or (GRAFANA / source).exists(), f"{name}: {source}"


def test_dashboards_and_source_are_where_grafana_looks(services: dict[str, dict[str, Any]]) -> None:
    mounted = [str(volume) for volume in services["grafana"]["volumes"]]
    provider = read(GRAFANA / "provisioning" / "dashboards" / "shardload.yml")["providers"][0]
    assert f"./dashboards:{provider['options']['path']}:ro" in mounted
    home = services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home == f"{provider['options']['path']}/run.json"
    source = read(GRAFANA / "provisioning" / "datasources" / "shardload.yml")["datasources"][0]
    assert source["type"] == "prometheus"
    assert f"-httpListenAddr={source['url'].removeprefix('http://')}" in services["victoria-metrics"]["command"]


def test_the_declared_interval_is_that_of_the_generators() -> None:
    source = read(GRAFANA / "provisioning" / "datasources" / "shardload.yml")["datasources"][0]
    jobs = {job["job_name"]: job for job in read(GRAFANA / "scrape.yml")["scrape_configs"]}
    assert source["jsonData"]["timeInterval"] == jobs["shardload"]["scrape_interval"] == "1s"
    assert {jobs[name]["scrape_interval"] for name in ("shardload-server", "node")} == {"5s"}


def test_the_discovery_folder_is_the_mounted_one(services: dict[str, dict[str, Any]]) -> None:
    jobs = {job["job_name"]: job for job in read(GRAFANA / "scrape.yml")["scrape_configs"]}
    (found,) = jobs["shardload"]["file_sd_configs"]
    targets = [v["target"] for v in services["victoria-metrics"]["volumes"] if isinstance(v, dict)]
    assert found["files"] == [f"{targets[0]}/*.json"]


def test_the_scrape_configuration_is_what_the_verb_prints_for_the_default_target() -> None:
    command = [str(ROOT / "shardload"), "scrape-config", "--target", "embedded-postgresql"]
    command += ["--discovery-dir", "/etc/shardload/metrics"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=600)

    assert made.returncode == 0, made.stderr
    assert made.stdout == (GRAFANA / "scrape.yml").read_text(encoding="utf-8"), " ".join(command[1:])
