"""Suggested commands: they can be pasted where the user stands, and lead to the same data."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.processes.hints import PROGRAM_VARIABLE, render
from tests.conftest import Checkout

VERIFY = [{"purpose": "to settle it", "verb": "verify", "flags": []}]


@pytest.mark.parametrize("program", ["./shardload", "../a folder/shardload"])
def test_a_hint_repeats_program_target_and_every_override(checkout: Checkout, program: str) -> None:
    url = "postgresql://db/it's mine"
    overrides = ("-o", f"target.url={url}", "-o", "workload.data.documents=30000")
    arguments = ("run", "--target", "postgresql", "-o", "execution.0.hold-for=3s", *overrides)
    code, output = checkout.run(*arguments, FAKE_CHILD="schema-error", SHARDLOAD_PROGRAM=program)
    assert code == 1, output
    assert "shardload: schema does not work\n" in output
    (command,) = [line for line in output.splitlines() if "--recreate" in line]
    chosen = ["--target", "postgresql", "--workload", "document-store"]
    assert shlex.split(command) == [program, "load", "--recreate", *chosen, *overrides]


def test_files_of_the_users_own_have_no_command_of_ours(checkout: Checkout, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text("target: {url: 'postgresql://elsewhere/db'}\n")
    places = Places(checkout.root)
    files = [checkout.root / name for name in checkout.files()]
    assert render(VERIFY, merge([*files, mine], [], places), places) == [
        "  to settle it: the verb verify, with the same target and workload"
    ]


def test_elsewhere_than_in_the_checkout_the_program_is_named_by_its_path(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PROGRAM_VARIABLE, raising=False)
    places = Places(checkout.root)
    files = [checkout.root / name for name in checkout.files()]
    assert render(VERIFY, merge(files, [], places), places)[1].startswith(f"    {checkout.root}/shardload verify ")
