"""The lines with which plain bzt ends name no log that is gone."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Checkout, leftovers

_NAMED = re.compile(r"INFO: (?:Log file|Artifacts dir): (.*)")


def named_at_the_end(output: str) -> list[str]:
    return _NAMED.findall(output.partition("INFO: Post-processing...")[2])


@pytest.mark.parametrize("wrong", [("-o", "execution.0.concurency=5"), ()])
def test_a_refused_run_names_no_log_that_is_gone(checkout: Checkout, wrong: tuple[str, ...]) -> None:
    """Mutation: leave the lines as Taurus writes them."""
    code, output = checkout.run(*checkout.files(), *wrong, plain_bzt=True, FAKE_CHILD="schema-error")
    assert code == 1, output
    assert "INFO: Post-processing..." in output
    assert named_at_the_end(output) == []
    assert leftovers(checkout) == []
