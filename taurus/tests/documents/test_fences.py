"""Each example of README and docs is run (e2e/test_documents.py) or says why not; shardload takes every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.command_lines import problem
from tests.documents.fences import commands, fences_of, pages, programs, shell_fences, written
from tests.documents.texts import ROOT, files

# An example that is run calls none of these: they change the machine, or reach others.
NEVER_RUN = {"sudo", "apt-get", "apt", "docker", "ssh", "scp", "curl", "kill", "pkill", "git", "uv", "mvnw", "su"}
OTHER_PAGES = files("CONTRIBUTING.md", "SECURITY.md", "clusters/README.md", ".github/**/*.md")


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for name in ("SHARDLOAD_PATH", "SHARDLOAD_BUNDLES"):
        monkeypatch.delenv(name, raising=False)


def test_the_examples_are_found() -> None:
    found = [fence for page in pages() for fence in shell_fences(page)]
    assert len(found) > 25
    assert sum(not fence.mark for fence in found) > 3, "hardly any example is run"
    assert sum(len(commands(fence.text)) for fence in found) > 40


def test_each_example_that_is_not_run_says_why() -> None:
    fences = [fence for page in pages() for fence in shell_fences(page)]
    assert [fence.where for fence in fences if fence.mark and len(fence.reason.split()) < 2] == []


def test_a_mark_stands_before_an_example_only() -> None:
    for page in pages():
        marks = sum(line.strip().startswith(("<!-- not run", "<!-- long")) for line in page.read_text().splitlines())
        assert marks == sum(bool(fence.mark) for fence in fences_of(page)), page


def test_a_shell_example_is_marked_as_one() -> None:
    """An example in no language is not run, so it begins with no command."""
    bare = [fence for page in pages() for fence in fences_of(page) if fence.language in ("", "text")]
    assert [fence.where for fence in bare if re.match(r"\$? ?(\./)?shardload [a-z]", fence.text)] == []


def test_what_is_run_changes_nothing_outside_of_its_copy() -> None:
    run = [fence for page in pages() for fence in shell_fences(page) if fence.mark != "not run"]
    called = {fence.where: sorted(programs(fence.text) & NEVER_RUN) for fence in run}
    assert {where: found for where, found in called.items() if found} == {}


def test_what_stays_in_the_foreground_is_not_run() -> None:
    run = [fence for page in pages() for fence in shell_fences(page) if fence.mark != "not run"]
    called = [(fence.where, words[0]) for fence in run for words in commands(fence.text) if words]
    assert [where for where, verb in called if verb in ("server-metrics", "generator")] == []


@pytest.mark.parametrize("page", [*pages(), *OTHER_PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_shardload_takes_every_command_line(page: Path) -> None:
    tried = [(fence.where, words, problem(words)) for fence in shell_fences(page) for words in commands(fence.text)]
    assert [f"{where}: {' '.join(words)}: {what}" for where, words, what in tried if what] == []


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("run --thruput 5", "--thruput"),
        ("rnu", "rnu"),
        ("run -o execution.0.rump-up=5s", "rump-up"),
        ("load -o workload.data.dokuments=5", "dokuments"),
        ("run --rate 5 -o execution.0.throughput=6", "--rate"),
        ("run --target mine --rate $RATE --duration soon", "soon"),
        ("runs rn", "rn"),
        ("test e3e", "e3e"),
        ("generator --listn 10.9.0.2", "--listn"),
    ],
)
def test_a_command_line_that_is_refused_is_found(line: str, part: str) -> None:
    assert part in problem(line.split())


@pytest.mark.parametrize(
    "line", ["run -t mine -w ../shop -p ~/mine.yml", 'run --rate $RATE --options ""', "help run", "-V"]
)
def test_the_files_and_values_of_a_reader_are_taken(line: str) -> None:
    assert problem([word.strip('"') for word in line.split()]) == ""


def test_examples_are_read_with_mark_indent_and_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    indented = "- b\n\n  <!-- not run: needs a cluster -->\n  ```sh\n  two\n    three\n  ```\n"
    page.write_text(f"a\n```sh\none\n```\n{indented}<!-- long: -->\n```sh\n```\n")
    read = [(fence.line, fence.mark, fence.reason, fence.text) for fence in shell_fences(page)]
    assert read == [(2, "", "", "one\n"), (8, "not run", "needs a cluster", "two\n  three\n"), (13, "long", "", "")]


def test_commands_are_found_in_any_place_of_a_line() -> None:
    text = "cd a && ./shardload run \\\n  --rate 5 # ./shardload no\nA=b shardload verify > c | jq .\n"
    text += "source <(./shardload completion bash)\n# ./shardload no\n"
    assert commands(text) == [["run", "--rate", "5"], ["verify"], ["completion", "bash"]]
    assert programs(text) == {"cd", "shardload", "jq", "source"}
    assert commands("flock /var/lock/citus ./shardload run; echo ./shardload") == [["run"]]


def test_files_that_a_page_has_its_reader_write_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "### The table: `shop/a.sql`\n```sh\nmkdir shop\n```\n```sql\nSELECT 1\n```\n`shop/b.yml`\n```yaml\na: 1\n```\n"
    )
    assert list(written(page)) == [("shop/a.sql", "SELECT 1\n"), ("shop/b.yml", "a: 1\n")]
    assert len(list(written(ROOT / "docs" / "own-workload.md"))) > 10
