"""The keys ``metrics`` and ``hosts`` of a target: what they mean, and what is refused before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shardload.config import effective
from shardload.config.check import check
from shardload.config.hosts import KEY_STORE
from shardload.config.merge import Merged, find_file, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.shapes import sections
from shardload.config.store import read_host_metrics
from tests.test_check import PLACES, ROOT, edited, load

LISTEN = "target.metrics.listen="
JAVA = ROOT / "java-samplers/src/main/java/io/shardload/monitoring"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand where the shipped files are; the key store of load hosts is in a home of its own."""
    monkeypatch.chdir(ROOT)
    store = tmp_path / KEY_STORE
    store.parent.mkdir(parents=True)
    store.touch()
    monkeypatch.setattr(Places, "find", lambda: Places(tmp_path))
    return tmp_path


def build(*overrides: str) -> dict[str, Any]:
    return effective.build(load(*overrides), "run-1", None, "smoke")


def test_generators_listen_on_loopback_unless_told_otherwise(place: Path) -> None:
    discovery = str(place / ".shardload" / "metrics")
    assert build()["metrics"] == {"listen": "127.0.0.1", "port": 0, "discovery": discovery}
    assert build("target.metrics={}")["metrics"]["listen"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("listen", "expected"),
    [
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        ("localhost", ("localhost", 0)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("127.0.0.7", ("127.0.0.7", 0)),
    ],
)
def test_where_to_listen(listen: str, expected: tuple[str, int]) -> None:
    section = build(LISTEN + listen)["metrics"]
    assert (section["listen"], section["port"]) == expected


@pytest.mark.parametrize("text", ["off", "'off'", "false"])
def test_metrics_are_off_in_every_spelling_of_yaml(tmp_path: Path, text: str) -> None:
    path = edited(tmp_path, "target", "noop", lambda old: old + f"  metrics: {{listen: {text}}}\n")
    files = [PLACES.taurus / "base.yml", path]
    files += [find_file(PLACES, kind, name) for kind, name in (("workload", "document-store"), ("profile", "smoke"))]
    assert "metrics" not in effective.build(check(merge(files, (), PLACES)), "run-1", None, "smoke")
    assert "metrics" not in build(LISTEN + text)


def test_verbs_without_load_serve_nothing() -> None:
    assert "metrics" not in effective.build(load(needs_load=False), "run-1", None, "verify")


def test_load_hosts_may_have_an_address_that_this_machine_has_not() -> None:
    overrides = ("execution.0.distributed=[127.0.0.2]", LISTEN + "203.0.113.7:9464")
    assert build(*overrides)["metrics"]["listen"] == "203.0.113.7"


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ((), "local"),
        (("target.host-metrics=local",), "local"),
        (("target.host-metrics=off",), "off"),
        (("target.host-metrics='off'",), "off"),
        (("target.metrics={}",), "local"),
    ],
)
def test_generators_sample_their_machines_unless_told_otherwise(overrides: tuple[str, ...], expected: str) -> None:
    config = build(*overrides)
    assert config["host_metrics"] == expected
    assert set(config["target"]) == {"name", "driver", "options"}, "no driver knows it"
    assert "host_metrics" not in effective.build(load(needs_load=False), "run-1", None, "verify")


def test_a_target_with_a_store_is_not_sampled() -> None:
    """The key of the store is checked elsewhere."""
    for value in (None, "off", False):
        target = {"metrics": {"url": "http://127.0.0.1:8428"}, "host-metrics": value}
        assert read_host_metrics(Merged({}), target) == "off"


def test_a_target_with_a_store_cannot_ask_for_sampling() -> None:
    with pytest.raises(Problem) as problem:
        load("target.metrics.url=http://127.0.0.1:8428", "target.host-metrics=local")
    message = "-o target.host-metrics: metrics.url replaces host-metrics; remove one of the two"
    assert str(problem.value) == message


def test_the_hosts_of_the_cluster() -> None:
    listed = "target.hosts=[{host: db1.invalid, role: shard}, {host: 'db2.invalid:9200', role: router}]"
    config = build(listed)
    assert config["server_hosts"] == [
        {"host": "db1.invalid", "port": 9100, "role": "shard"},
        {"host": "db2.invalid", "port": 9200, "role": "router"},
    ]
    assert set(config["target"]) == {"name", "driver", "options"}, "no driver knows them"
    assert "server_hosts" not in build()


def test_a_host_may_have_several_roles() -> None:
    config = build("target.hosts=[{host: db1, role: shard}, {host: db1, role: config}]")
    assert [host["role"] for host in config["server_hosts"]] == ["shard", "config"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            LISTEN + "203.0.113.7",
            'listen: "203.0.113.7" is not an address of this machine, where the generator listens',
        ),
        (LISTEN + "nowhere.invalid", 'listen: the name "nowhere.invalid" does not resolve to an IPv4 address'),
        (LISTEN + "127.0.0.1:0", "listen: port 0 of 127.0.0.1 is not between 1 and 65535"),
        (LISTEN + "127.0.0.1:65536", "listen: port 65536 of 127.0.0.1 is not between 1 and 65535"),
        (LISTEN + "9464", "listen: must be a text, such as 0.0.0.0:9464"),
        (LISTEN + "true", "listen: must be a text"),
        ("target.host-metrics=true", 'target.host-metrics: unknown value "True"'),
        ("target.hosts=db1", "target.hosts: must be a list, such as [{host: db1.example, role: shard}]"),
        ("target.hosts=[{host: 'db1:99999', role: shard}]", "port 99999 of db1 is not between 1 and 65535"),
        (
            "target.hosts=[{host: 'a b', role: shard}]",
            '"a b" is not a host; write host or host:port of its node_exporter',
        ),
        (
            "target.hosts=[{host: db1, role: shard}, {host: 'db1:9100', role: shard}]",
            "target.hosts.1: db1:9100 is listed twice as shard",
        ),
    ],
)
def test_a_wrong_key_is_one_line_that_names_it(override: str, message: str) -> None:
    with pytest.raises(Problem) as raised:
        load(override)
    text = str(raised.value)
    assert message in text and "-o target." in text and "\n" not in text


def test_the_file_is_named(tmp_path: Path) -> None:
    path = edited(tmp_path, "target", "noop", lambda old: old + "  hosts: [{host: db1, role: shrad}]\n")
    with pytest.raises(Problem) as raised:
        check(
            merge([PLACES.taurus / "base.yml", path, find_file(PLACES, "workload", "document-store")], (), PLACES),
            False,
        )
    assert str(raised.value) == f'{path}: target.hosts.0.role: unknown value "shrad"; did you mean "shard"?'


def test_roles_are_those_of_the_java_side() -> None:
    source = (JAVA / "Role.java").read_text(encoding="utf-8")
    roles = sections()["target"]["properties"]["hosts"]["items"]["properties"]["role"]["enum"]
    assert [name for name in roles if f"  {name.upper()}" not in source] == []
    assert source.count(",\n") + 1 == len(roles)
