"""A part of the controller that fails in mid-run: the run ends in order, with its bundle and code 2."""

from __future__ import annotations

import os

import pytest

from shardload.config.commands import ALLOW_VARIABLE
from tests.conftest import FAKES, TAURUS, Checkout


def run_with(checkout: Checkout, reporter: str, plain_bzt: bool, **environment: str) -> tuple[int, str]:
    arguments = checkout.files() if plain_bzt else ["run"]
    environment[ALLOW_VARIABLE] = "1"  # a class that is not ours
    options = [*checkout.options(hold_for="60s"), "-o", f"modules.shardload-console.class=broken.{reporter}"]
    path = os.pathsep.join([str(TAURUS), str(FAKES)])
    return checkout.run(*arguments, *options, plain_bzt=plain_bzt, PYTHONPATH=path, **environment)


@pytest.mark.parametrize("plain_bzt", [False, True])
def test_a_console_that_fails_ends_the_run_as_a_part_that_died(checkout: Checkout, plain_bzt: bool) -> None:
    code, output = run_with(checkout, "BrokenConsole", plain_bzt)
    assert code == 2, output
    assert output.count("shardload: the console failed: ValueError: nothing to show") == 1
    assert "Traceback" not in output
    assert "ValueError: nothing to show" in (checkout.bundle / "taurus" / "bzt.log").read_text()
    outcome = checkout.read("outcome.json")
    assert outcome["notes"] == ["shardload: the console failed: ValueError: nothing to show"]
    assert outcome["lost_generators"] == []
    assert (checkout.bundle / "report.html").exists()


def test_a_foreign_reporter_that_fails_does_too(checkout: Checkout) -> None:
    code, output = run_with(checkout, "BrokenReporter", plain_bzt=False)
    assert code == 2, output
    assert checkout.read("outcome.json")["notes"] == ["shardload: Taurus failed: ValueError: nothing to report"]
    assert (checkout.bundle / "report.html").exists()


def test_wrong_documents_are_worse_and_missed_criteria_are_not(checkout: Checkout) -> None:
    path = checkout.root / "taurus" / "profiles" / "smoke.yml"
    path.write_text(path.read_text() + "  - hits<1000000, continue as failed\n")
    assert run_with(checkout, "BrokenConsole", plain_bzt=False)[0] == 2
    assert run_with(checkout, "BrokenConsole", plain_bzt=False, FAKE_CHILD="wrong")[0] == 4
