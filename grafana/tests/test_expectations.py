"""What is empty at the wrong time is found, and only what is empty is let pass."""

from __future__ import annotations

import pytest

from checks.__main__ import shipped
from checks.dashboard import read
from tests.expectations import unexpected

RUN = next(dashboard for dashboard in map(read, shipped()) if dashboard.uid == "shardload-run")
BACKLOG, CAPACITY, RATE = 'panel "Backlog" A', 'panel "Capacity" A', 'panel "Rows per second" A'


@pytest.mark.parametrize(
    ("during", "after", "found"),
    [
        ([], [f"{BACKLOG}: empty: sum(x)"], []),
        ([f"{BACKLOG}: empty: sum(x)"], [], [f"{BACKLOG}: empty: sum(x)"]),
        ([f"{CAPACITY}: empty: y"], [], []),
        ([], [f"{CAPACITY}: empty: y"], [f"{CAPACITY}: empty: y"]),
        ([f"{RATE}: empty: z[5m]"], [], []),
        # The expressions differ by what Grafana puts in.
        ([f"{RATE}: empty: z[5m]"], [f"{RATE}: empty: z[1h]"], [f"{RATE}: empty: z[5m]", f"{RATE}: empty: z[1h]"]),
        ([], ['annotation "Verdict": empty: v'], ['annotation "Verdict": empty: v']),
        (['annotation "Verdict": empty: v'], [], []),
        ([f"{RATE}: refused: no"], [], [f"{RATE}: refused: no"]),
    ],
)
def test_a_value_has_to_be_there_at_the_time_that_it_is_meant_for(
    during: list[str], after: list[str], found: list[str]
) -> None:
    assert unexpected(RUN, [during], [after]) == found


def test_what_may_be_empty_may_be_nothing_else() -> None:
    lines = [f"{CAPACITY}: empty: y", f"{CAPACITY}: refused: no", 'panel "Capacity" B: empty: y']
    assert unexpected(RUN, [lines], [lines], [CAPACITY]) == [lines[1], lines[2]]


def test_one_of_several_targets_has_to_fill_a_panel() -> None:
    line = f"{RATE}: empty: z"
    assert unexpected(RUN, [[line], []], [[line], [line]]) == []
    assert unexpected(RUN, [[line], [line]], [[line], [line]]) == [line]
