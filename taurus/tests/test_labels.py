"""Names, tags and notes of runs: what may be given, where it arrives, and that they are no way around the secrets."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from shardload.cli import build_parser
from shardload.config.check import check
from shardload.config.effective import build
from shardload.config.merge import merge
from shardload.config.places import Places, reserve_run
from shardload.config.problem import Problem
from shardload.config.values.labels import Labels, overrides_of, read_labels
from shardload.results.bundle import write_config
from shardload.verbs.ci.overrides import settle
from shardload.verbs.run import files_of
from tests.conftest import Checkout


def settled(words: list[str], places: Places) -> argparse.Namespace:
    options = build_parser().parse_args(["run", "-t", "noop", *words])
    settle(options, places)
    return options


def labels_of(words: list[str], places: Places) -> Labels:
    options = settled(words, places)
    return check(merge(files_of(options, places), options.option, places, options.flags)).labels


@pytest.mark.parametrize(
    ("value", "kept"),
    [("17", "17"), ("true", "true"), ("a=b", "a=b"), ('say "yes": {x}', 'say "yes": {x}'), ("~null", "~null")],
)
def test_a_tag_stays_the_text_that_it_is(checkout: Checkout, value: str, kept: str) -> None:
    """Taurus reads overrides as YAML, which would make 17 a number and {x} a mapping."""
    assert labels_of(["--tag", f"k={value}", "--note", value], Places(checkout.root)) == Labels(None, {"k": kept}, kept)


def test_labels_enter_the_configuration_and_the_folder(checkout: Checkout) -> None:
    options = settled(
        ["--name", "new-index", "--tag", "build=17", "--tag", "a=b", "--note", "why"], Places(checkout.root)
    )
    checked = check(
        merge(files_of(options, Places(checkout.root)), options.option, Places(checkout.root), options.flags)
    )
    run = build(checked, "id", None, "smoke")["run"]
    assert {key: run[key] for key in ("name", "tags", "note")} == {
        "name": "new-index",
        "tags": {"build": "17", "a": "b"},
        "note": "why",
    }
    folder = reserve_run(Places(checkout.root).runs, "noop", "smoke", label=checked.labels.name)
    assert folder.name.endswith("-noop-smoke-new-index")
    write_config(folder / "config.yml", checked.merged, {})
    assert "new-index" in (folder / "config.yml").read_text(encoding="utf-8"), "the file repeats the run"


def test_without_labels_nothing_is_written(checkout: Checkout) -> None:
    options = settled([], Places(checkout.root))
    checked = check(merge(files_of(options, Places(checkout.root)), options.option, Places(checkout.root)))
    assert not {"name", "tags", "note"} & set(build(checked, "id", None, "smoke")["run"])


def test_yaml_may_hold_them_and_the_command_line_adds_to_them(checkout: Checkout) -> None:
    profile = Places(checkout.root).taurus / "profiles" / "smoke.yml"
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text + "\nrun: {tags: {team: storage, build: 1}, note: nightly}\n", encoding="utf-8")
    found = labels_of(["--tag", "build=2"], Places(checkout.root))
    assert found == Labels(None, {"team": "storage", "build": "2"}, "nightly")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--name", "a/b"], '--name: "a/b" is not a name: up to 60 letters, digits'),
        (["--name", ".."], '--name: ".." is not a name'),
        (["--name", "-x"], None),
        (["--name", "a" * 61], "is not a name"),
        (["--name", "a", "-o", "run.name=b"], "--name: run.name is set by -o as well; keep one of the two"),
        (["--tag", "build"], '--tag: has the form key=value, such as "--tag build=17"'),
        (["--tag", "a.b=1"], '--tag: "a.b" is not a key of a tag'),
        (["--tag", "a=" + "x" * 101], '--tag: the value of tag "a" must be one line of 1 to 100 characters'),
        (["--tag", "a="], "one line of 1 to 100 characters"),
        (["--tag", "a=1", "--tag", "a=2"], '--tag: "a" appears twice'),
        (["--note", "two\nlines"], "--note: must be one line of 1 to 500 characters"),
        (["-o", "run.tags=x"], "-o run.tags: must be a mapping, such as {build: 17, team: storage}"),
        (["-o", "run.name=17"], "-o run.name: must be a text, such as new-index"),
    ],
)
def test_what_is_refused(checkout: Checkout, words: list[str], line: str | None) -> None:
    if line is None:  # argparse takes it for an option
        with pytest.raises(SystemExit):
            settled(words, Places(checkout.root))
        return
    with pytest.raises(Problem) as refused:
        labels_of(words, Places(checkout.root))
    assert line in str(refused.value)


@pytest.mark.parametrize(
    "words",
    [
        ["--tag", "password=hunter2"],
        ["--tag", "api_key=hunter2"],
        ["--note", "postgresql://me:hunter2@db/x"],
        ["-o", "run.tags.token=hunter2"],
        ["-o", "run.note=https://db/?password=hunter2"],
    ],
)
def test_labels_are_no_way_around_the_secrets(checkout: Checkout, words: list[str]) -> None:
    with pytest.raises(Problem) as refused:
        labels_of(words, Places(checkout.root))
    assert "hunter2" not in str(refused.value)
    assert "run." in str(refused.value)


def test_a_problem_in_yaml_names_the_file(checkout: Checkout) -> None:
    profile = Places(checkout.root).taurus / "profiles" / "smoke.yml"
    profile.write_text(profile.read_text(encoding="utf-8") + "\nrun: {name: a b}\n", encoding="utf-8")
    with pytest.raises(Problem, match=r"profiles/smoke.yml: run.name: \"a b\" is not a name"):
        labels_of([], Places(checkout.root))


@pytest.mark.parametrize("value", [{}, {"name": None, "tags": None, "note": None}])
def test_nothing_is_no_label(value: Any) -> None:
    assert read_labels(value) == Labels()
    assert overrides_of(None, [], None) == []


def test_the_help_says_that_labels_are_stored_in_clear(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["run", "--help"])
    assert "stored in clear" in " ".join(capsys.readouterr().out.split())


def test_series_give_their_labels_to_every_run(checkout: Checkout) -> None:
    from shardload.terminal import Terminal
    from shardload.verbs.series import build_sides, order
    from shardload.verbs.series_run import Series

    options = settled(["--repeat", "1", "--name", "x", "--tag", "k=v"], Places(checkout.root))
    sides = build_sides(["noop"], [], options.option)
    started: list[list[str]] = []
    series = Series(
        options, Places(checkout.root), Terminal(), order(sides, 1), [], "document-store", ["A"], Labels("x")
    )
    series.run(lambda words, place: started.append(list(words)) or 0, lambda: False)  # type: ignore[func-returns-value]
    assert series.folder.name.endswith("-noop-series-x")
    assert 'run.name="x"' in started[0] and 'run.tags.k="v"' in started[0]
    assert json.loads((series.folder / "series.json").read_text(encoding="utf-8"))["name"] == "x"
