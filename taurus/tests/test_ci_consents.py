"""``--discard-unsettled`` with what a caller such as Jenkins knows of the runs: the folder of their results."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Checkout

SERIES = "20261122-120000-citus-series"


@pytest.fixture
def aborted(checkout: Checkout) -> Checkout:
    """Return a checkout with a series that was killed in its second run, and a run of somebody else."""
    runs = checkout.root / "runs"
    for run, place in (("first", f"{SERIES}/1"), ("second", f"{SERIES}/2"), ("other", f"{SERIES}-2/1"), ("one", "")):
        (runs / run).mkdir(parents=True)
        (runs / run / "run.json").write_text(json.dumps({"run": {"series": place} if place else {}}))
    (runs / SERIES).mkdir()
    (runs / SERIES / "series.json").write_text(json.dumps({"id": SERIES, "runs": [{"bundle": "first"}]}))
    for folder, name in (("out", "one"), ("results/matrix", SERIES), ("results/empty", None)):
        (checkout.root / folder).mkdir(parents=True)
        (checkout.root / folder / ".shardload-results").touch()
        if name:
            (checkout.root / folder / "run").write_text(f"{name}\n")
    return checkout


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["one"], ["one"]),
        (["of-another-machine"], ["of-another-machine"]),
        ([SERIES], ["first", "second"]),
        (["out"], ["one"]),
        (["results/matrix", "results/empty", "results/not-there"], ["first", "second"]),
        (["results/matrix", "first"], ["first", "second"]),
        (["results/empty"], []),
    ],
)
def test_a_folder_or_a_series_stands_for_its_own_runs(aborted: Checkout, given: list[str], meant: list[str]) -> None:
    consents = [word for each in given for word in ("--discard-unsettled", each)]
    code, output = aborted.run("load", "--recreate", "--target", "noop", *consents)
    assert code == 0, output
    (asked,) = [request["discard_unsettled"] for request in aborted.requests if request["verb"] == "schema"]
    assert sorted(asked) == meant


def test_a_search_stands_for_its_own_runs(aborted: Checkout) -> None:
    folder = aborted.root / "runs" / SERIES
    (folder / "series.json").rename(folder / "search.json")
    code, output = aborted.run("load", "--recreate", "--target", "noop", "--discard-unsettled", SERIES)
    assert code == 0, output
    (asked,) = [request["discard_unsettled"] for request in aborted.requests if request["verb"] == "schema"]
    assert sorted(asked) == ["first", "second"]
