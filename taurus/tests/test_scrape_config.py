"""The verb scrape-config with a fake child: what a store gets to read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.conftest import Checkout


def jobs(text: str) -> dict[str, dict]:
    return {job["job_name"]: job for job in yaml.safe_load(text)["scrape_configs"]}


def nodes(text: str) -> list[tuple[str, str, str, str]]:
    """Return (address, target, host, role) of every node_exporter."""
    entries = jobs(text)["node"]["static_configs"]
    assert all(len(entry["targets"]) == 1 for entry in entries), "each host has labels of its own"
    return [(entry["targets"][0], *(entry["labels"][name] for name in ("target", "host", "role"))) for entry in entries]


def test_the_whole_configuration_of_an_embedded_target(checkout: Checkout) -> None:
    code, output = checkout.run("scrape-config", "--target", "embedded-postgresql")
    assert code == 0, output
    assert output.startswith("# written by shardload scrape-config --target embedded-postgresql,")
    assert yaml.safe_load(output) == {
        "scrape_configs": [
            {
                "job_name": "shardload",
                "scrape_interval": "1s",
                "scrape_timeout": "1s",
                "file_sd_configs": [{"files": [f"{checkout.root}/.shardload/metrics/*.json"]}],
            },
            {
                "job_name": "shardload-server",
                "scrape_interval": "5s",
                "scrape_timeout": "5s",
                "static_configs": [{"targets": ["127.0.0.1:9465"]}],
            },
            {
                "job_name": "node",
                "scrape_interval": "5s",
                "scrape_timeout": "5s",
                "static_configs": [
                    {
                        "targets": ["localhost:9100"],
                        "labels": {"target": "embedded-postgresql", "host": "localhost", "role": "primary"},
                    }
                ],
            },
        ]
    }
    assert not (checkout.pids / "requests").exists(), "there is no cluster to ask"
    folder = checkout.root / ".shardload" / "metrics"
    assert folder.stat().st_mode & 0o777 == 0o755, "a store watches it, and is another user"


def test_a_target_without_a_server_has_this_machine_alone(checkout: Checkout) -> None:
    code, output = checkout.run("scrape-config", "-t", "noop")
    assert code == 0, output
    assert list(jobs(output)) == ["shardload", "node"]
    assert nodes(output) == [("localhost:9100", "noop", "localhost", "generator")]


def test_the_cluster_names_its_hosts(checkout: Checkout) -> None:
    code, output = checkout.run("scrape-config", "-t", "mongodb-sharded")
    assert code == 0, output
    assert nodes(output) == [
        ("10.9.0.1:9100", "mongodb-sharded", "10.9.0.1", "router"),
        ("10.9.0.2:9100", "mongodb-sharded", "10.9.0.2", "shard,config"),
    ]
    (asked,) = checkout.requests
    assert asked["verb"] == "server-hosts"
    assert asked["config"]["target"]["name"] == "mongodb-sharded"
    assert "password" not in output.lower() and "27021" not in output


def test_the_target_file_names_them(checkout: Checkout) -> None:
    path = checkout.root / "taurus" / "targets" / "citus.yml"
    hosts = "{host: db1, role: coordinator}, {host: 'nat:9101', role: worker}, {host: 'nat:9102', role: worker}"
    path.write_text(path.read_text().replace("schema:", f"  hosts: [{hosts}]\nschema:"))
    code, output = checkout.run("scrape-config", "-t", "citus")
    assert code == 0, output
    assert nodes(output) == [
        ("db1:9100", "citus", "db1", "coordinator"),
        ("nat:9101", "citus", "nat:9101", "worker"),
        ("nat:9102", "citus", "nat:9102", "worker"),
    ]
    assert not (checkout.pids / "requests").exists()


def test_several_targets_share_a_file(checkout: Checkout) -> None:
    places = ["--server-metrics", "127.0.0.1:9465", "--server-metrics", "[::1]:9466"]
    folder = ["--discovery-dir", "/shardload/metrics/"]
    targets = ["-t", "mongodb-sharded", "-t", "noop", "-t", "citus", "-t", "noop"]
    code, output = checkout.run("scrape-config", *targets, *places, *folder)
    assert code == 0, output
    assert [target for _, target, _, _ in nodes(output)] == ["mongodb-sharded"] * 2 + ["noop"] + ["citus"] * 2
    found = jobs(output)
    assert found["shardload-server"]["static_configs"] == [{"targets": ["127.0.0.1:9465", "[::1]:9466"]}]
    assert found["shardload"]["file_sd_configs"] == [{"files": ["/shardload/metrics/*.json"]}]
    assert not (checkout.root / ".shardload" / "metrics").exists(), "the store sees another folder"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("server-hosts-error", "cannot ask citus for its hosts: server-hosts does not work"),
        ("server-hosts-dies", "cannot ask citus for its hosts: the Java child ended (code 7) during server-hosts"),
        ("hostless", "citus does not report its hosts"),
    ],
)
def test_a_cluster_that_does_not_tell_is_one_line(checkout: Checkout, fault: str, message: str) -> None:
    code, output = checkout.run("scrape-config", "-t", "citus", "--output", "scrape.yml", FAKE_CHILD=fault)
    lines = [line for line in output.splitlines() if line.startswith("shardload: ")]
    assert (code, lines) == (1, [f"shardload: {message}; name them in the key hosts of taurus/targets/citus.yml"])
    assert not (checkout.root / "scrape.yml").exists()


def test_it_writes_a_file_that_everybody_may_read(checkout: Checkout) -> None:
    file = checkout.root / "scrape.yml"
    for target in ("noop", "mongodb-sharded"):
        code, output = checkout.run("scrape-config", "-t", target, "--output", "scrape.yml")
        assert code == 0, output
    assert "wrote scrape.yml (mongodb-sharded: 2 hosts)" in output
    assert list(jobs(file.read_text())) == ["shardload", "shardload-server", "node"]
    assert file.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in checkout.root.glob(".scrape*")] == []


def test_a_file_of_another_origin_stays(checkout: Checkout) -> None:
    file = checkout.root / "prometheus.yml"
    file.write_text("scrape_configs: []\n")
    code, output = checkout.run("scrape-config", "-t", "noop", "--output", "prometheus.yml")
    assert code == 1
    expected = f"{file} exists and was not written by scrape-config; remove it, or name another file"
    assert output == f"shardload: {expected}\n"
    assert file.read_text() == "scrape_configs: []\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "noop", "--server-metrics", "9465"], '--server-metrics: "9465" is not an address; write host:port, as'),
        (["-t", "noop", "--server-metrics", "a:0"], "--server-metrics: port 0 is not between 1 and 65535"),
        (["-t", "noop", "--output", "none/scrape.yml"], "none/scrape.yml: No such file or directory"),
        (["-t", "noop", "--output", "taurus/base.yml/x.yml"], "taurus/base.yml/x.yml: Not a directory"),
    ],
)
def test_wrong_use_is_one_line(checkout: Checkout, arguments: list[str], message: str) -> None:
    code, output = checkout.run("scrape-config", *arguments)
    assert code == 1
    assert output.startswith("shardload: ") and message in output and output.count("\n") == 1


def test_the_folder_may_not_be_made(checkout: Checkout) -> None:
    Path(checkout.root, ".shardload", "metrics").write_text("in the way")
    code, output = checkout.run("scrape-config", "-t", "noop")
    assert (code, output) == (1, f"shardload: cannot make {checkout.root}/.shardload/metrics: File exists\n")
