"""The judgement over the rows: how many hits are enough, and what a false accusation is."""

from __future__ import annotations

from tests.bottlenecks.rows import FURTHER, ROWS, Row
from tests.bottlenecks.table import FURTHER_NEEDED, FURTHER_RUNS, RUNS, Judged, Results, is_good, markdown


def judged(changed: dict[str, list[str]]) -> Results:
    """Let every run of every row be a hit, except the first runs of some rows."""

    def runs(row: Row) -> list[Judged]:
        named = changed.get(row.name, [])
        return [Judged(resource, "why") for resource in [*named, *[row.expected] * RUNS][:RUNS]]

    return [(row, runs(row)) for row in ROWS]


def test_five_of_seventy_misses_are_good_and_six_are_not() -> None:
    assert len(ROWS) * RUNS == 70
    assert is_good(judged({"disk": ["unknown"] * 5}))
    assert not is_good(judged({"disk": ["unknown"] * 5, "locks": ["-"]}))


def test_six_misses_are_good_among_the_further_rows_and_seven_are_not() -> None:
    assert len(FURTHER) * FURTHER_RUNS == 36
    for misses, is_enough in ((6, True), (7, False)):
        named = ["unknown"] * misses + [""] * (36 - misses)
        runs = [[Judged(named.pop(0) or row.expected, "why") for _ in range(FURTHER_RUNS)] for row in FURTHER]
        assert is_good(list(zip(FURTHER, runs)), FURTHER_NEEDED) == is_enough


def test_one_accusation_of_the_target_is_enough_where_the_load_side_is_the_cause() -> None:
    assert is_good(judged({"pool": ["workers"], "disk": ["locks"]}))
    results = judged({"pool": ["locks"]})
    assert not is_good(results)
    assert "accused in 1 runs" in markdown(results)


def test_the_table_has_the_sentence_of_each_miss_and_no_row_that_did_not_run() -> None:
    results = [*judged({"disk": ["locks", "-"]})[:2], (ROWS[-1], None)]
    lines = markdown(results).splitlines()
    assert lines[2].startswith("| processor | ") and lines[2].endswith(" | processor | 5 of 5 |  |")
    assert lines[3].endswith(" | disk | 3 of 5 | locks: why<br>-: why |")
    assert lines[4].endswith(" | nothing | not validated |  |")
    assert "8 of 10 runs" in lines[6]


def test_a_summary_without_an_attribution_is_a_miss() -> None:
    assert Judged.of({}) == Judged.of({"bottleneck": None}) == Judged("-", "")
    assert Judged.of({"bottleneck": {"resource": "disk", "sentence": "s"}}) == Judged("disk", "s")
