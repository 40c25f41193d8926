"""What there is to choose from: version, help, lists of files, completion in a real bash."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shardload import __version__
from shardload.cli import GROUPS, build_parser, main
from shardload.config.places import Places
from shardload.options.overview import SHELLS, without_help_verb
from shardload.verbs.overview.completion import script
from shardload.verbs.overview.files import first_sentence, prose
from shardload.version import ARCHIVE_FILE, UNKNOWN, commit

ROOT = Path(__file__).resolve().parents[2]
GIT = ["git", "-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "safe.directory=*"]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_names_the_commit(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0
    assert capsys.readouterr().out == f"shardload {__version__}, commit {commit(Places.find().root)}\n"


def test_a_commit_is_that_of_the_checkout_or_what_the_archive_says(tmp_path: Path) -> None:
    assert commit(tmp_path) == UNKNOWN
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    head = git(tmp_path, "rev-parse", "HEAD")[:12]
    assert commit(tmp_path) == head
    (tmp_path / "file").write_text("two")
    assert commit(tmp_path) == f"{head} + changes"
    inner = tmp_path / "unpacked"
    inner.mkdir()
    assert commit(inner) == UNKNOWN, "an archive that is unpacked in a checkout of something else"
    (inner / ARCHIVE_FILE).write_text('{"commit": "abc1234"}')
    assert commit(inner) == "abc1234"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["help"], ["--help"]),
        (["help", "run"], ["run", "--help"]),
        (["help", "workload", "init"], ["workload", "init", "--help"]),
        (["help", "--help"], ["--help"]),
        (["run", "--profile", "help"], ["run", "--profile", "help"]),
        ([], []),
    ],
)
def test_help_is_the_help_of_the_verb(words: list[str], meant: list[str]) -> None:
    assert without_help_verb(words) == meant


def test_help_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "profiles"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: shardload profiles [-h] [NAME]\n")
    assert main(["profiles", "--help"]) == 0
    assert capsys.readouterr().out == shown


def test_the_help_of_all_begins_with_examples_and_groups_the_verbs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mutations: a verb in no group; lines as long as they are."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert len([line for line in lines[: lines.index("Start")] if line.startswith("  shardload ")]) == 3
    assert [line for line in lines if line in GROUPS] == list(GROUPS)
    (verbs,) = (action.choices for action in build_parser()._actions if action.dest == "verb")
    assert verbs
    assert sorted(name for names in GROUPS.values() for name in names.split()) == sorted(verbs)
    assert [name for name in verbs if len(re.findall(rf"^  {name} ", shown, re.MULTILINE)) != 1] == []
    assert max(map(len, lines[: lines.index("options:" if "options:" in lines else "optional arguments:")])) <= 80


def test_the_help_of_each_verb_has_its_examples_before_the_options() -> None:
    """The launcher answers for test, generator and keys."""
    (verbs,) = (action.choices for action in build_parser()._actions if action.dest == "verb")
    elsewhere = ("test", "generator", "keys")
    helps = {name: parser.format_help() for name, parser in verbs.items() if name not in elsewhere}
    assert len(helps) > 20
    placed = re.compile(r"\n  (?:\S+=\S+ )*(?:shardload|scp|source) .*\noptions:", re.DOTALL)
    assert [
        name for name, text in helps.items() if not placed.search(text.replace("optional arguments", "options"))
    ] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("How much? Ten steps.", "How much?"),
        ("Cores of YCSB (Yahoo! Cloud) on\n1.5 tables. More.", "Cores of YCSB (Yahoo! Cloud) on 1.5 tables."),
        ("No end\n\nanother paragraph.", "No end"),
        ("", ""),
    ],
)
def test_the_first_sentence_stands_for_a_file(text: str, sentence: str) -> None:
    assert first_sentence(text.splitlines()) == sentence


@pytest.mark.parametrize(("verb", "pattern"), [("profiles", "profiles/*.yml"), ("workloads", "workloads/*.yml")])
def test_every_file_is_listed_with_its_first_sentence(
    verb: str, pattern: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb]) == 0
    lines = capsys.readouterr().out.splitlines()
    files = list((ROOT / "taurus").glob(pattern))
    assert files
    for file in files:
        (line,) = [line for line in lines if line.split()[0] == file.stem]
        said = line.partition(" ")[2].strip()
        assert said.endswith((".", "?")), f"{file} begins with no sentence that says what it is for"
        assert said == first_sentence(prose(file))


def test_one_is_shown_in_full_and_an_unknown_one_has_a_neighbour(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "smoke"]) == 0
    first, _, file, command = capsys.readouterr().out.splitlines()
    assert first.startswith("About a minute: does everything work")
    assert file.endswith("profiles/smoke.yml")
    assert command == "run   shardload run --profile smoke"
    assert main(["workloads", "ycbs"]) == 1
    assert 'unknown workload "ycbs"; did you mean "ycsb"?' in capsys.readouterr().err


# --- completion ------------------------------------------------------------------------------------------------------


def complete(file: Path, line: str, folder: Path = ROOT) -> list[str]:
    """Return what a real bash offers for a line whose last word is not finished."""
    program = """
source "$1"
read -r -a COMP_WORDS <<<"$2"
[[ $2 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
set -- $(complete -p "${COMP_WORDS[0]##*/}")
while [ "$1" != -F ]; do shift; done
"$2"
printf '%s\\n' "${COMPREPLY[@]}"
"""
    bash = shutil.which("bash")
    assert bash, "the completion of bash is tried in a bash"
    done = subprocess.run(
        [bash, "--norc", "-c", program, "bash", str(file), line],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    return sorted(done.stdout.split())


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("completion") / "shardload"
    file.write_text(script("bash", Places(ROOT)))
    return file


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("shardload pro", {"profiles"}),
        ("./shardload run --prof", {"--profile"}),
        ("./shardload run --profile sm", {"smoke"}),
        ("./shardload run -t citus -p max", {"max-capacity"}),
        ("./shardload load --target embedded-", {"embedded-mariadb", "embedded-mongodb", "embedded-postgresql"}),
        ("./shardload run --interleave-with ferr", {"ferretdb"}),
        ("./shardload targets cit", {"citus"}),
        ("./shardload workloads yc", {"ycsb"}),
        ("./shardload help completi", {"completion"}),
        ("./shardload completion ", set(SHELLS)),
        ("./shardload workload in", {"init"}),
        ("./shardload run --workload ./taurus/workl", {"./taurus/workloads"}),
        ("./shardload run --profile nosuch", set()),
    ],
)
def test_bash_completes(bash_script: Path, line: str, offered: set[str]) -> None:
    assert set(complete(bash_script, line)) == offered


def test_the_program_that_is_typed_names_its_own_runs(bash_script: Path, tmp_path: Path) -> None:
    other = tmp_path / "shardload"
    other.write_text('#!/bin/sh\n[ "$*" = "completion --names run" ] && echo 20261121-060102-citus-steady\n')
    other.chmod(0o755)
    assert complete(bash_script, f"{other} report 2026", tmp_path) == ["20261121-060102-citus-steady"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_knows_every_verb_and_asks_for_names(shell: str) -> None:
    text = script(shell, Places(ROOT))
    (verbs,) = (action.choices for action in build_parser()._actions if action.dest == "verb")
    assert verbs
    assert [verb for verb in verbs if not re.search(rf"(?<![\w-]){verb}(?![\w-])", text)] == []
    for kind in ("target", "profile", "workload", "run"):
        assert re.search(rf"_shardload_names {kind}\b", text)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["completion"], "completion: known are bash, zsh, fish; as in: shardload completion bash"),
        (
            ["completion", "fsh"],
            'completion: unknown shell "fsh"; did you mean "fish"?; as in: shardload completion bash',
        ),
        (["completion", "--names", "runs"], '--names: unknown kind "runs"; did you mean "run"?'),
    ],
)
def test_wrong_use_of_completion_is_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert capsys.readouterr().err == f"shardload: {line}\n"


def test_no_metavar_breaks_the_specification_of_zsh() -> None:
    """Each is one double-quoted word: name, help in brackets, what it takes, how that is completed."""
    specifications = re.findall(r'^  (?:"[^"]*")?(?:\{[^}]*\})?"(.*)"$', script("zsh", Places(ROOT)), re.MULTILINE)
    assert len(specifications) > 100
    assert [text for text in specifications if '"' in text] == []
