"""The judgement over the rows: what holds, what does not, and that a fault which was never injected is no answer."""

from __future__ import annotations

import pytest

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


def summary(code: int = 0, injected: bool = True, verified: str = "clean", failed: int = 3, lost: int = 0) -> Answer:
    fault = {"injected": injected, "failed": failed, "unknown": 0, "lost_writes": lost}
    moments = {"lost_from_seconds": -0.1 if lost else None, "lost_to_seconds": 0.2 if lost else None}
    verdict = {"verdict": {"code": code}, "verification": {"verdict": verified}, "faults": [{**fault, **moments}]}
    return Answer.of(
        verdict, [{"event": "begin", "load_ns": 6_000_000_000}, {"event": "begun", "load_ns": 6_500_000_000}]
    )


def test_an_answer_is_read_from_a_run() -> None:
    assert summary() == Answer(0, in_effect_seconds=0.5)
    assert summary(code=3, verified="wrong", lost=7) == Answer(7, -0.1, 0.2, 0.5)


def test_a_run_that_proves_nothing_is_no_answer() -> None:
    assert summary(injected=False).fault == "never injected"
    assert summary(failed=0).fault == "no call noticed it"
    assert summary(code=5).fault == "code 5, verification clean"
    assert summary(verified="not run").fault == "code 0, verification not run"


def test_a_row_that_was_not_run_says_so() -> None:
    row = ROWS[-1]
    assert f"not run: {row.needs} is missing" in markdown([(row, None)])
