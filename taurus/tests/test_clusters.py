"""The compose files of clusters/: what can be seen without a container engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "clusters").glob("*.yml"))
PINNED = re.compile(r"[a-z0-9./-]+:v?\d[\w.-]*\.\d[\w.-]*")
LOOPBACK = re.compile(r"127\.0\.0\.1:\d+:\d+")
VARIABLE = re.compile(r"(?<!\$)\$(?!\$)(\{[^}]*\}|\w+)")


def read(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def services(path: Path) -> dict[str, dict[str, Any]]:
    return dict(read(path)["services"])


def is_job(name: str) -> bool:
    """Jobs end when they are done, so nothing can be asked of their health."""
    return name == "init" or name.startswith("init-")


def test_each_cluster_has_its_target() -> None:
    names = ["citus", "ferretdb", "mongodb-replica-set", "mongodb-sharded", "postgresql-replicas"]
    assert [path.stem for path in FILES] == names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_images_are_pinned_servers_have_health_checks_and_ports_are_on_loopback(path: Path) -> None:
    for name, service in services(path).items():
        assert PINNED.fullmatch(service["image"]), name
        assert is_job(name) or service["healthcheck"]["test"], name
        assert all(LOOPBACK.fullmatch(port) for port in service.get("ports", [])), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_passwords_come_from_the_environment_or_nothing_starts(path: Path) -> None:
    variables = VARIABLE.findall(path.read_text(encoding="utf-8"))
    assert variables
    assert all(re.match(r"\{SHARDLOAD_\w+_PASSWORD:\?set ", variable) for variable in variables)
    for name, service in services(path).items():
        for key, value in (service.get("environment") or {}).items():
            assert "PASSWORD" not in key or value.startswith("${"), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_depended_on_is_there_and_can_come_to_that_state(path: Path) -> None:
    known = services(path)
    for name, service in known.items():
        needed = service.get("depends_on") or {}
        for other in needed:
            assert other in known, name
            condition = needed[other]["condition"] if isinstance(needed, dict) else "service_started"
            assert (condition == "service_completed_successfully") == is_job(other), f"{name} needs {other}"
        network = service.get("network_mode", "service:" + name)
        assert network.partition(":")[2] in known, name
    used = {volume.split(":")[0] for service in known.values() for volume in service.get("volumes", [])}
    assert used == set(read(path)["volumes"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_target_leads_to_the_published_ports(path: Path) -> None:
    published = {port.rpartition(":")[0] for service in services(path).values() for port in service.get("ports", [])}
    target = read(ROOT / "taurus" / "targets" / path.name)["target"]
    # Others may be published for those who look: workers, a pooler.
    assert set(target["url"].partition("://")[2].partition("/")[0].split(",")) <= published
    assert target["password-env"] in path.read_text(encoding="utf-8")


def test_the_sharded_cluster_is_the_one_of_the_readme() -> None:
    names = list(services(ROOT / "clusters" / "mongodb-sharded.yml"))
    counts = {kind: sum(name.startswith(kind) for name in names) for kind in ("mongos", "config", "shard1", "shard2")}
    assert counts == {"mongos": 2, "config": 3, "shard1": 3, "shard2": 3}
