"""The keys of the store in the section ``metrics`` of a target: what they mean, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from shardload.config import effective
from shardload.config.problem import Problem
from shardload.config.store import Store
from tests.test_check import load

URL = "target.metrics.url="
LOCAL = URL + "http://127.0.0.1:8428"
TOKEN = "target.metrics.token-env=STORE_TOKEN"
USER, PASSWORD = "target.metrics.user=reader", "target.metrics.password-env=STORE_PASSWORD"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_TOKEN", "geheim-1")
    monkeypatch.setenv("STORE_PASSWORD", "geheim 2")
    monkeypatch.delenv("STORE_NOTHING", raising=False)


def build(*overrides: str) -> dict[str, Any]:
    return effective.build(load(*overrides), "run-1", None, "smoke")


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ((LOCAL,), {"url": "http://127.0.0.1:8428"}),
        ((LOCAL + "/select/0/prometheus",), {"url": "http://127.0.0.1:8428/select/0/prometheus"}),
        ((URL + "https://store.invalid", TOKEN), {"url": "https://store.invalid", "token_env": "STORE_TOKEN"}),
        ((URL + "http://localhost:9090", TOKEN), {"url": "http://localhost:9090", "token_env": "STORE_TOKEN"}),
        (
            (LOCAL, USER, PASSWORD),
            {"url": "http://127.0.0.1:8428", "user": "reader", "password_env": "STORE_PASSWORD"},
        ),
        ((LOCAL, "target.metrics.listen=off"), {"url": "http://127.0.0.1:8428"}),
        ((URL + "http://store.invalid:9090",), {"url": "http://store.invalid:9090"}),
    ],
)
def test_the_store_is_in_the_bundle_without_secrets(overrides: tuple[str, ...], expected: dict[str, str]) -> None:
    config = build(*overrides)
    assert config["store"] == expected
    assert config["host_metrics"] == "off", "the store knows the machines"
    assert "geheim" not in str(config)
    assert set(config["target"]) == {"name", "driver", "options"}, "no driver knows it"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:geheim@store.invalid",
        "http://me:12/geheim@store.invalid",
        "http://me:geheim/1@store.invalid",
        "http://me:geheim?1@store.invalid",
        "http://me:geheim#1@store.invalid",
        "me:geheim@store.invalid",
    ],
)
def test_a_password_in_the_address_is_not_shown(url: str) -> None:
    with pytest.raises(Problem) as problem:
        Store(url).check()
    message = "a user or password in a URL would appear in logs; use the keys user and password-env"
    assert str(problem.value) == message


def test_without_an_address_there_is_no_store() -> None:
    assert "store" not in build()
    assert "store" not in build("target.metrics={}")
    assert "store" not in effective.build(load(LOCAL, needs_load=False), "run-1", None, "verify")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ((URL + "ftp://store.invalid",), 'target.metrics.url: "ftp://store.invalid" is not an address of a store'),
        ((URL + "http://store.invalid:99999",), 'url: "http://store.invalid:99999" is not an address of a store'),
        ((URL + "'http://store invalid'",), 'url: "http://store invalid" is not an address of a store'),
        ((URL + "http://store.invalid/?a=b",), "target.metrics.url: must end with the path, before /api/v1/query"),
        ((TOKEN,), "target.metrics.token-env: set url too, the address of the store"),
        ((LOCAL, TOKEN, USER, PASSWORD), "target.metrics.token-env: set either token-env, or user and password-env"),
        ((LOCAL, USER), "target.metrics.user: set password-env too, the name of an environment variable"),
        ((LOCAL, PASSWORD), "target.metrics.password-env: set user too"),
        ((LOCAL, PASSWORD, "target.metrics.user='a:b'"), 'target.metrics.user: "a:b" contains a colon'),
        (
            (LOCAL, "target.metrics.token-env=STORE_NOTHING"),
            "target.metrics.token-env: the environment variable STORE_NOTHING is not set",
        ),
        (
            (LOCAL, "target.metrics.token-env=STORE_PASSWORD"),
            "target.metrics.token-env: the environment variable STORE_PASSWORD contains characters that "
            "a token cannot have",
        ),
        ((LOCAL, "target.metrics.token-env='a b'"), "target.metrics.token-env: must be the name of an environment"),
        (
            (URL + "http://203.0.113.7:9090", TOKEN),
            "target.metrics.token-env: the secret would be sent to 203.0.113.7 in clear text; use https",
        ),
        (
            (URL + "http://store.invalid", USER, PASSWORD),
            "target.metrics.password-env: the secret would be sent to store.invalid in clear text; use https",
        ),
    ],
)
def test_what_could_never_work_is_refused_in_one_line(overrides: tuple[str, ...], message: str) -> None:
    with pytest.raises(Problem) as problem:
        load(*overrides)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)
    assert "geheim" not in str(problem.value)
