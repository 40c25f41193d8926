"""Load hosts in the configuration: what is wrong with a list is refused before anything starts."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from shardload.config import effective, hosts
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.hosts import KEY_STORE
from shardload.config.merge import find_file, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from tests.test_check import PLACES, ROOT, edited, load

TWO = "execution.0.distributed=[127.0.0.2, 127.0.0.3:2099]"
NAMES = {"db": "10.9.0.1", "one": "10.9.0.2", "two": "10.9.0.3", "same-as-one": "10.9.0.2", "all": "0.0.0.0"}


@pytest.fixture(autouse=True)
def key_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand where the shipped files are, with a key store in a home of its own."""
    monkeypatch.chdir(ROOT)
    store = tmp_path / KEY_STORE
    store.parent.mkdir(parents=True)
    store.touch()
    monkeypatch.setattr(Places, "find", lambda: Places(tmp_path))
    return store


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have names beyond this machine, and a route to them, without any network."""

    def resolve(host: str, *_: Any) -> list[tuple[Any, ...]]:
        if host not in NAMES and not host[:1].isdigit():
            raise socket.gaierror(f"no {host}")
        return [(None, None, None, "", (NAMES.get(host, host), 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(hosts, "route_to", lambda address: "10.9.0.1" if address.startswith("10.9.") else None)
    monkeypatch.setattr(hosts, "is_local", lambda address: address == "10.9.0.1" or address.startswith("127."))


def section(*overrides: str, target: str = "noop") -> dict[str, Any]:
    found = effective.build(load(*overrides, target=target), "run-1", None, "smoke")["hosts"]
    assert isinstance(found, dict)
    return found


def test_a_run_without_load_hosts_has_one_generator_and_no_section() -> None:
    config = effective.build(load(), "run-1", None, "smoke")
    assert "hosts" not in config and config["load"]["generators"] == 1


def test_the_hosts_of_a_profile() -> None:
    config = effective.build(load(TWO), "run-1", None, "smoke")
    assert config["hosts"] == {
        "list": ["127.0.0.2:1099", "127.0.0.3:2099"],
        "controller_address": "127.0.0.1",
        "controller_port": 0,
        "key_store": ".shardload/keys/rmi_keystore.jks",
        "redis_url": "",
        "redis_password_env": "",
        "on_generator_loss": "stop",
    }
    assert (config["load"]["generator"], config["load"]["generators"], config["load"]["workers"]) == (0, 2, 8)


def test_the_hosts_of_a_target_are_no_part_of_what_is_tested() -> None:
    overrides = ("target.load-hosts=[127.0.0.2]", "target.controller-address=127.0.0.9")
    config = effective.build(load(*overrides), "run-1", None, "smoke")
    assert (config["hosts"]["list"], config["hosts"]["controller_address"]) == (["127.0.0.2:1099"], "127.0.0.9")
    assert set(config["target"]) == {"name", "driver", "options"}


def test_the_controllers_own_redis_may_have_a_fixed_port() -> None:
    hosts_section = section("execution.0.distributed=[127.0.0.2]", "target.controller-address='127.0.0.9:6390'")
    assert (hosts_section["controller_address"], hosts_section["controller_port"]) == ("127.0.0.9", 6390)


def test_hosts_beyond_this_machine_are_met_at_the_address_that_they_are_reached_from(names: None) -> None:
    assert section("execution.0.distributed=[127.0.0.1, two]")["controller_address"] == "10.9.0.1"


def test_the_meeting_point_and_what_a_loss_means(names: None) -> None:
    found = section(
        "execution.0.distributed=[one]",
        "execution.0.on-generator-loss=continue",
        "target.redis={url: 'rediss://db:6379', password-env: REDIS_PASSWORD}",
    )
    told = (found["redis_url"], found["redis_password_env"], found["on_generator_loss"])
    assert told == ("rediss://db:6379", "REDIS_PASSWORD", "continue")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (("execution.0.distributed=[one, nowhere]",), 'distributed.1: the name "nowhere" does not resolve'),
        (("execution.0.distributed=[one, 'one:1099']",), "distributed.1: one:1099 is listed twice"),
        (("execution.0.distributed=[one, same-as-one]",), "same-as-one:1099 and one:1099 are the same engine (10.9.0."),
        (
            ("execution.0.distributed=['one:1100', 'same-as-one']",),
            "same-as-one:1099 takes port 1100 as well, so one:1100 cannot",
        ),
        (("execution.0.distributed=['one:0']",), "port 0 of one is not between 1 and 65534"),
        (("execution.0.distributed=['one:65535']",), "port 65535 of one is not between 1 and 65534"),
        (("execution.0.distributed=['::1']",), '"::1" is not a load host'),
        (("execution.0.distributed=[all]",), "all means all addresses"),
        (
            ("execution.0.distributed=[one, two]", "execution.0.concurrency=1"),
            "2 load hosts need at least 2 workers (execution.0.concurrency), not 1",
        ),
        (("execution.0.distributed=[192.168.7.7]",), "there is no route to 192.168.7.7"),
        (("execution.0.on-generator-loss=continue",), "-o execution.0.on-generator-loss: requires load"),
        (
            ("execution.0.distributed=[one]", "target.controller-address=10.9.0.77"),
            '"10.9.0.77" is not an address of this',
        ),
        (("execution.0.distributed=[127.0.0.2]", "target.controller-address='127.0.0.1:0'"), "port 0 is not between 1"),
        (
            ("execution.0.distributed=[127.0.0.2]", "target.controller-address='127.0.0.1:'"),
            "is not an address of this",
        ),
        (("execution.0.distributed=[one]", "target.controller-address=0.0.0.0"), '"0.0.0.0" means all addresses'),
        (("execution.0.distributed=[one]", "target.controller-address='*'"), '"*" means all addresses'),
        (("execution.0.distributed=[one]", "target.controller-address='::'"), '"::" means all addresses'),
        (("execution.0.distributed=[one]", "target.controller-address=127.0.0.1"), "one cannot reach 127.0.0.1"),
        (("execution.0.distributed=[one]", "target.redis.url=redis://db"), "requires TLS; write rediss://"),
        (("execution.0.distributed=[one]", "target.redis.url=redis://127.0.0.1"), "one cannot reach 127.0.0.1"),
        (("execution.0.distributed=[one]", "target.redis.url=http://db"), '"http://db" is not an address of a Redis'),
        (("execution.0.distributed=[one]", "target.redis.url='rediss://db:x'"), '"rediss://db:x" is not a URL'),
        (("execution.0.distributed=[one]", "target.redis.url=rediss://dbx"), 'the name "dbx" does not resolve'),
    ],
)
def test_refusals(names: None, overrides: tuple[str, ...], message: str) -> None:
    with pytest.raises(Problem) as raised:
        load(*overrides)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_loopback_redis_without_tls_is_for_hosts_on_this_machine() -> None:
    assert section(TWO, "target.redis.url=redis://127.0.0.1:6379")["redis_url"] == "redis://127.0.0.1:6379"


@pytest.mark.parametrize("target", ["embedded-postgresql", "embedded-mongodb"])
def test_an_embedded_server_is_not_for_load_hosts(target: str) -> None:
    with pytest.raises(Problem, match=r"embedded-\w+.yml: target.embedded: load hosts cannot use an embedded server"):
        load(TWO, target=target)


def test_two_lists_are_one_too_many(tmp_path: Path) -> None:
    path = edited(tmp_path, "target", "noop", lambda text: text + "  load-hosts: [127.0.0.2]\n")
    with pytest.raises(Problem) as raised:
        check_with(path, TWO)
    told = f"-o execution.0.distributed: the load hosts are also in {path}: target.load-hosts; keep one of the two"
    assert str(raised.value).startswith(told)


def test_verbs_without_load_ignore_the_hosts(tmp_path: Path, key_store: Path) -> None:
    key_store.unlink()
    path = edited(tmp_path, "target", "noop", lambda text: text + "  load-hosts: [nowhere.invalid]\n")
    checked = check_with(path, needs_load=False)
    assert checked.hosts is None
    assert "hosts" not in effective.build(checked, "run-1", None, "verify")


def test_a_missing_key_store_names_the_verb_that_makes_it(key_store: Path) -> None:
    key_store.unlink()
    with pytest.raises(Problem) as raised:
        load(TWO)
    assert "need the key store .shardload/keys/rmi_keystore.jks, which is missing" in str(raised.value)
    assert "./shardload keys" in str(raised.value)


def test_addresses_of_this_machine_and_routes_are_the_systems_own() -> None:
    assert hosts.is_local("127.0.0.1") and not hosts.is_local("203.0.113.7")
    assert hosts.route_to("127.0.0.1") == "127.0.0.1"


def check_with(target: Path, *overrides: str, needs_load: bool = True) -> Checked:
    kinds = [("workload", "document-store")] + ([("profile", "smoke")] if needs_load else [])
    files = [PLACES.taurus / "base.yml", target, *(find_file(PLACES, kind, name) for kind, name in kinds)]
    return check(merge(files, overrides, PLACES), needs_load)
