"""The key ``price`` of a target: what Java gets of it, and what is refused before anything starts."""

from __future__ import annotations

from typing import Any

import pytest

from shardload.config import effective
from shardload.config.problem import Problem
from tests.test_check import ROOT, load

PRICE = "target.price={currency: USD, per-hour: 1.42}"


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def build(*overrides: str) -> dict[str, Any]:
    return effective.build(load(*overrides), "run-1", None, "smoke")


def test_prices_are_numbers_and_no_part_of_the_target() -> None:
    config = build(PRICE, "target.price.per-million-io='0.22'", "target.price.per-gb-month=0.10")
    assert config["price"] == {"currency": "USD", "per_hour": 1.42, "per_million_io": 0.22, "per_gb_month": 0.1}
    assert "price" not in config["target"]
    assert build(PRICE)["price"] == {"currency": "USD", "per_hour": 1.42}


def test_without_prices_there_is_no_section() -> None:
    assert "price" not in build()
    assert "price" not in build(PRICE, "target.price=null")


NUMBER = "is not a number above 0; write 500, 0.5, 10k or 2M"


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("per-hours=2", '-o target.price.per-hours: unknown key "per-hours"; did you mean "per-hour"?'),
        ("per-hour=0", f'-o target.price.per-hour: "0" {NUMBER}'),
        ("per-gb-month=dear", f'-o target.price.per-gb-month: "dear" {NUMBER}'),
        (
            "currency=dollar",
            '-o target.price.currency: "dollar" is not a currency; write three capital letters, such as USD',
        ),
    ],
)
def test_a_wrong_price_is_one_line(override: str, line: str) -> None:
    with pytest.raises(Problem) as refused:
        build(PRICE, f"target.price.{override}")
    assert str(refused.value).splitlines() == [line]


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("5", "-o target.price: must be a mapping with the keys currency, per-gb-month, per-hour, per-million-io"),
        ("{currency: USD}", "-o target.price: target.price.per-hour: is missing"),
        ("{per-hour: 2}", "-o target.price: target.price.currency: is missing"),
        ("{per-hour: 2, curency: USD}", '-o target.price: target.price.curency: unknown key "curency"; '
         'did you mean "currency"?'),
    ],
)  # fmt: skip
def test_a_section_that_lacks_something_is_one_line(section: str, line: str) -> None:
    with pytest.raises(Problem) as refused:
        build(f"target.price={section}")
    assert str(refused.value).splitlines() == [line]
