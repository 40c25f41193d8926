"""The configuration of the controller and the compose file: what can be seen without Jenkins and a container engine."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.checkout import CLUSTERS, JENKINS, TARGETS, read_yaml, secrets_of, validate, values

CASC = JENKINS / "casc" / "jenkins.yml"
COMPOSE = JENKINS / "compose.yml"
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+[\w.-]*")
# Keys and places that hold a secret or the name of one.
SECRET = re.compile(r"password|privateKey|secret", re.IGNORECASE)
# What docs/jenkins.md lets the user make first.
OUTSIDE = (
    "${SHARDLOAD_JENKINS_SECRETS:-../.shardload/jenkins}",
    "${SHARDLOAD_JENKINS_KEYS:-../.shardload/jenkins-keys}",
)
REFERENCE = re.compile(r"\$\{[\w-]+(:-)?\}")


@pytest.fixture(scope="module")
def casc() -> dict[str, Any]:
    return dict(read_yaml(CASC))


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return dict(read_yaml(COMPOSE)["services"])


def test_the_configuration_has_known_keys_only() -> None:
    assert validate(CASC, "--schemafile", str(JENKINS / "tests" / "casc.schema.json")) == (0, "ok -- validation done\n")


def test_no_secret_is_in_the_configuration(casc: dict[str, Any]) -> None:
    secrets = [value for key, value in values(casc) if SECRET.search(key)]
    assert len(secrets) > len(CLUSTERS)
    assert [value for value in secrets if not REFERENCE.fullmatch(str(value))] == []


def test_every_secret_of_a_target_has_its_credentials(casc: dict[str, Any]) -> None:
    (domain,) = casc["credentials"]["system"]["domainCredentials"]
    given = {entry["string"]["id"]: entry["string"] for entry in domain["credentials"] if "string" in entry}
    expected = {f"shardload-{target}-{variable}" for target in TARGETS for variable in secrets_of(target)}
    assert len(expected) >= len(CLUSTERS)
    assert sorted(expected - given.keys()) == [], "jenkins/casc/jenkins.yml lacks credentials"
    assert sorted(given.keys() - expected) == [], "jenkins/casc/jenkins.yml has credentials that no target names"
    assert {name: text["secret"] for name, text in given.items()} == {name: f"${{{name}:-}}" for name in expected}


def test_nobody_is_let_in_without_a_password_and_only_administrators_configure(casc: dict[str, Any]) -> None:
    jenkins = casc["jenkins"]
    assert jenkins["securityRealm"]["local"]["allowsSignup"] is False
    entries = jenkins["authorizationStrategy"]["globalMatrix"]["entries"]
    rights = {next(iter(entry.values()))["name"]: next(iter(entry.values()))["permissions"] for entry in entries}
    assert rights.keys() == {"admin", "jobs", "authenticated"}
    assert not {"Overall/Administer", "Job/Configure", "Job/Create"} & set(rights["authenticated"])
    assert jenkins["numExecutors"] == 0, "no build runs beside the controller's secrets"
    assert jenkins["slaveAgentPort"] == -1


def test_descriptions_are_safe_html(casc: dict[str, Any]) -> None:
    assert list(casc["jenkins"]["markupFormatter"]) == ["rawHtml"]


def test_every_build_has_the_variables_of_the_jenkinsfile(casc: dict[str, Any]) -> None:
    (properties,) = casc["jenkins"]["globalNodeProperties"]
    names = [variable["key"] for variable in properties["envVars"]["env"]]
    assert names == ["SHARDLOAD_RUNS", "SHARDLOAD_KEYS", "SHARDLOAD_GRAFANA_URL", "SHARDLOAD_STORE_URL"]


def test_agents_are_the_services_of_the_compose_file(casc: dict[str, Any], services: dict[str, dict[str, Any]]) -> None:
    nodes = [node["permanent"] for node in casc["jenkins"]["nodes"]]
    assert {node["labelString"] for node in nodes} == {"shardload"}
    for node in nodes:
        command = services[node["name"]]["command"]
        assert command[1:3] == ["-p", str(node["launcher"]["ssh"]["port"])]
        # Longer than a load test needs to settle after an abort.
        assert node["launcher"]["ssh"]["jvmOptions"] == "-DSoftKillWaitSeconds=75"
    assert len(nodes) == 2
    assert "DurableTaskStep.REMOTE_TIMEOUT=90" in services["controller"]["environment"]["JAVA_OPTS"]


def test_the_history_outlives_the_agents(casc: dict[str, Any], services: dict[str, dict[str, Any]]) -> None:
    (properties,) = casc["jenkins"]["globalNodeProperties"]
    (folder,) = [v["value"] for v in properties["envVars"]["env"] if v["key"] == "SHARDLOAD_RUNS"]
    assert all(f"runs:{folder}" in services[name]["volumes"] for name in ("agent-1", "agent-2"))
    assert "runs" in read_yaml(COMPOSE)["volumes"]
    assert folder in (JENKINS / "agent.Dockerfile").read_text(encoding="utf-8")


def test_the_compose_file_follows_its_schema() -> None:
    assert validate(COMPOSE, "--builtin-schema", "vendor.compose-spec") == (0, "ok -- validation done\n")


def test_images_are_pinned(services: dict[str, dict[str, Any]]) -> None:
    bases = {
        name: re.findall(r"^FROM (\S+)$", (JENKINS / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("controller.Dockerfile", "agent.Dockerfile")
    }
    built = {service["build"]["dockerfile"] for service in services.values() if "build" in service}
    assert built == bases.keys()
    pulled = [service["image"] for service in services.values() if "image" in service]
    images = [*pulled, *(image for found in bases.values() for image in found)]
    assert len(images) == 3
    assert [image for image in images if not PINNED.fullmatch(image)] == []


def test_all_listen_on_loopback_only(services: dict[str, dict[str, Any]]) -> None:
    assert {service["network_mode"] for service in services.values()} == {"host"}
    assert not any("ports" in service for service in services.values())
    assert "--httpListenAddress=127.0.0.1" in services["controller"]["environment"]["JENKINS_OPTS"]
    for name in ("agent-1", "agent-2"):
        assert services[name]["command"][-2:] == ["-o", "ListenAddress=127.0.0.1"]


def test_what_is_mounted_is_there(services: dict[str, dict[str, Any]]) -> None:
    named = set(read_yaml(COMPOSE)["volumes"])
    for name, service in services.items():
        for volume in service["volumes"]:
            if isinstance(volume, dict):
                assert volume["source"].startswith(OUTSIDE), name
                assert volume["bind"] == {"create_host_path": False}, name
                continue
            source = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", volume).split(":")[0]
            assert source in named or (JENKINS / source).exists(), f"{name}: {source}"


def test_grafana_and_the_store_are_those_of_the_grafana_folder(services: dict[str, dict[str, Any]]) -> None:
    (included,) = read_yaml(COMPOSE)["include"]
    others = yaml.safe_load((JENKINS / included).read_text(encoding="utf-8"))["services"]
    assert {"grafana", "victoria-metrics"} <= others.keys()
    assert not others.keys() & services.keys()
    assert services["controller"]["environment"]["SHARDLOAD_STORE_URL"].endswith("http://127.0.0.1:8428}")
