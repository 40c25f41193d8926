"""Limits of a profile without steps, in a whole run on the harness alone."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import RealCheckout, options

pytestmark = [pytest.mark.e2e, pytest.mark.alone]


def test_a_limit_without_steps_that_is_exceeded_is_a_missed_run(real: RealCheckout) -> None:
    """Mutation: judge limits with steps alone."""
    slow = options({"target.options.service-time": "20ms", "execution.0.limits.p99": "5ms"})
    arguments = ("run", "--target", "noop", *real.short(), *slow, "-o", "execution.0.throughput=300")
    code, output = real.run(*arguments)
    assert code == 3, output
    (line,) = [line.strip() for line in output.splitlines() if "limits.p99" in line]
    assert line.startswith("criterion missed: limits.p99: at most 5 ms (p99 "), output
    (limit,) = [one for one in real.read("summary.json")["criteria"] if one["text"].startswith("limits")]
    assert limit["passed"] is False
