"""The judgement over the rows: what holds, what does not, and that a fault which was never injected is no answer."""

from __future__ import annotations

import pytest

from tests.losses.bank import Money, problem
from tests.losses.rows import ROWS, Row
from tests.losses.table import Answer, holds, markdown

_MAY, _MUST_NOT = (next(row for row in ROWS if row.name == f"embedded-postgresql-{value}") for value in ("off", "on"))
_LOST = Answer(5, -0.2, 0.3, 0.4)


@pytest.mark.parametrize(
    "row, answers, good",
    [
        (_MUST_NOT, [Answer(0)] * 10, True),
        (_MUST_NOT, [Answer(0)] * 9 + [_LOST], False),
        (_MAY, [_LOST] * 8 + [Answer(0)] * 2, True),
        (_MAY, [_LOST] * 7 + [Answer(0)] * 3, False),
        (_MAY, [_LOST] * 9 + [_LOST._replace(from_seconds=-0.61)], False),
        (_MAY, [_LOST] * 9 + [_LOST._replace(to_seconds=0.51)], False),
        (_MAY, [_LOST] * 9 + [Answer(0, fault="never injected")], False),
    ],
)
def test_what_holds(row: Row, answers: list[Answer], good: bool) -> None:
    assert holds(row, answers) == good
    assert ("**does not hold**" in markdown([(row, answers)])) != good


def summary(
    code: int = 0,
    injected: bool = True,
    verified: str = "clean",
    back: float | None = 4.0,
    lost: int = 0,
    reasons: tuple[str, ...] = (),
    row: Row = _MAY,
    written: tuple[int, int, int] = (0, 40, 0),
) -> Answer:
    fault = {"injected": injected, "recovered_after_seconds": back, "lost_writes": lost}
    moments = {"lost_from_seconds": -0.1 if lost else None, "lost_to_seconds": 0.2 if lost else None}
    judged = {"verdict": {"code": code, "reasons": reasons}, "verification": {"verdict": verified}}
    events = [{"event": "begin", "load_ns": 6_000_000_000}, {"event": "begun", "load_ns": 6_500_000_000}]
    ledger = [
        {"to_ns": to_ns, "segments": {"hold": {"update": {"changed_rows": rows}, "find": {"changed_rows": 0}}}}
        for to_ns, rows in zip((3_400_000_000, 5_900_000_000, 6_100_000_000), written, strict=True)
    ]
    return Answer.of(row, {**judged, "faults": [{**fault, **moments}]}, events, ledger)


def test_an_answer_is_read_from_a_run() -> None:
    assert summary() == Answer(0, in_effect_seconds=0.5, acknowledged=40)
    assert summary(code=3, back=None, verified="wrong", lost=7) == Answer(7, -0.1, 0.2, 0.5, acknowledged=40)
    assert summary(code=5, lost=7, reasons=("generator-bound: late",)).lost == 7
    (unnoticed,) = (row for row in ROWS if not row.noticed)
    assert not summary(back=0.0, row=unnoticed).fault


def test_a_run_that_proves_nothing_is_no_answer() -> None:
    assert summary(injected=False).fault == "never injected"
    assert summary(back=0.4).fault == "no call noticed it"
    assert summary(written=(40, 0, 40)).fault == "no write was acknowledged before it, so none could be lost"
    assert summary(code=5, reasons=("generator-bound: late", "1 host died")).fault == (
        "code 5, verification clean; generator-bound: late; 1 host died"
    )
    assert summary(verified="not run").fault == "code 0, verification not run"


def test_a_row_that_was_not_run_says_so() -> None:
    row = ROWS[-1]
    assert f"not run: {row.needs} is missing" in markdown([(row, None)])


def bank_summary(verdict: str = "clean", wrong: int = 0, failed: int = 2, code: int = 0) -> dict[str, object]:
    verification = {"verdict": verdict, "counts": {"lost": wrong}}
    faults = [{"name": "kill", "injected": True, "failed": failed, "unknown": 0}]
    ledgers = {"ledger": {"done": 80, "unknown": 3}, "warmup_ledger": {"done": 20, "unknown": 0}}
    return {"verification": verification, "verdict": {"code": code}, "faults": faults, **ledgers}


@pytest.mark.parametrize("transfers", [100, 103, None])
def test_the_money_is_right(transfers: int | None) -> None:
    assert not problem(bank_summary(), Money(1_000_000, 0, transfers))


@pytest.mark.parametrize(
    "summary, money, said",
    [
        (bank_summary(), Money(999_999, 0, 100), "the total is 999999; the verdict was clean, code 0, 0 wrong"),
        (bank_summary(code=4, wrong=1), Money(1_000_000, 0, 100), "the verdict was clean, code 4, 1 wrong"),
        (bank_summary(code=4, wrong=1), Money(1_000_000, 0, 99), "99 transfers, 100 acknowledged and 3 unknown"),
        (bank_summary(code=4, wrong=1), Money(1_000_000, 2, 100), "2 balances are not those of the transfers"),
        (bank_summary(failed=0), Money(1_000_000, 0, 100), "no call noticed a fault"),
        (
            bank_summary() | {"faults": [{"name": "kill", "injected": False, "failed": 1, "unknown": 0}]},
            Money(1_000_000, 0, 100),
            "never injected: kill",
        ),
    ],
)
def test_money_or_verdict_is_wrong(summary: dict[str, object], money: Money, said: str) -> None:
    assert problem(summary, money) == said
