"""Each example of README and docs is run (e2e/test_documents.py) or says why not; shardload takes every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.command_lines import problem
from tests.documents.fences import commands, fences_of, pages, programs, shell_fences
from tests.documents.texts import ROOT, files

# An example that is run calls none of these: they change the machine, or reach others.
NEVER_RUN = {"sudo", "apt-get", "apt", "docker", "ssh", "scp", "curl", "kill", "pkill", "git", "uv", "mvnw", "su"}
OTHER_PAGES = files("CONTRIBUTING.md", "SECURITY.md", "clusters/README.md", ".github/**/*.md")


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for name in ("SHARDLOAD_PATH", "SHARDLOAD_BUNDLES"):
        monkeypatch.delenv(name, raising=False)


def test_each_example_that_is_not_run_says_why() -> None:
    fences = [fence for page in pages() for fence in shell_fences(page)]
    assert len(fences) > 25, "the examples were not found"
    assert [fence.where for fence in fences if fence.reason and len(fence.reason.split()) < 2] == []


def test_a_mark_stands_before_an_example_only() -> None:
    for page in pages():
        marks = sum(line.strip().startswith("<!-- not run") for line in page.read_text().splitlines())
        assert marks == sum(bool(fence.reason) for fence in fences_of(page)), page


def test_a_shell_example_is_marked_as_one() -> None:
    """An example in no language is not run, so it begins with no command."""
    bare = [fence for page in pages() for fence in fences_of(page) if fence.language in ("", "text")]
    assert [fence.where for fence in bare if re.match(r"\$? ?(\./)?shardload [a-z]", fence.text)] == []


def test_what_is_run_changes_nothing_outside_of_its_copy() -> None:
    run = [fence for page in pages() for fence in shell_fences(page) if not fence.reason]
    called = {fence.where: sorted(programs(fence.text) & NEVER_RUN) for fence in run}
    assert {where: found for where, found in called.items() if found} == {}


def test_what_stays_in_the_foreground_is_not_run() -> None:
    run = [fence for page in pages() for fence in shell_fences(page) if not fence.reason]
    called = [(fence.where, words[0]) for fence in run for words in commands(fence.text) if words]
    assert [where for where, verb in called if verb in ("server-metrics", "generator")] == []


@pytest.mark.parametrize("page", [*pages(), *OTHER_PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_shardload_takes_every_command_line(page: Path) -> None:
    tried = [(fence.where, words, problem(words)) for fence in shell_fences(page) for words in commands(fence.text)]
    assert [f"{where}: {' '.join(words)}: {what}" for where, words, what in tried if what] == []
