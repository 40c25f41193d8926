"""YAML merge keys, anchors, and places in messages: Taurus reads the same files by itself and must agree."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from shardload.config.check import check
from shardload.config.merge import Merged, merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from tests.conftest import TAURUS, Checkout

PLACES = Places(TAURUS.parent)
PROFILE = """\
x-short: &short
  warm-up: 1s
  hold-for: 3s
x-calm: &calm {throughput: 30, statement-timeout: 1s}
execution:
- <<: [*short, *calm]
  concurrency: 2
  hold-for: 2s
  scenario: mix
reporting:
- module: passfail
  criteria:
  - fail>1%, continue as failed
  - p99>250ms, continue as failed
"""


def merged(folder: Path, text: str = PROFILE, *overrides: str, target: str = "") -> Merged:
    profile = folder / "mine.yml"
    profile.write_text(text)
    files = [TAURUS / "base.yml", TAURUS / "targets/noop.yml", TAURUS / "workloads/document-store.yml", profile]
    if target:
        files[1] = folder / "target.yml"
        files[1].write_text(target)
    return merge(files, overrides, PLACES)


def problems(found: Merged) -> str:
    with pytest.raises(Problem) as raised:
        check(found)
    return str(raised.value)


def test_merge_keys_are_those_of_yaml(tmp_path: Path) -> None:
    load = check(merged(tmp_path)).load
    assert load is not None
    assert (load.warm_up, load.hold_for, load.throughput, load.concurrency) == (1, 2, 30, 2)


def test_a_value_that_was_merged_in_has_the_line_of_its_own(tmp_path: Path) -> None:
    """Mutation: look into the merged mapping first."""
    found = merged(tmp_path)

    def line(key: str) -> int | None:
        place = found.line(("execution", 0, key))
        assert place is not None
        return place[1]

    assert [line(key) for key in ("warm-up", "hold-for", "throughput", "concurrency")] == [2, 8, 4, 7]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            PROFILE.replace("{throughput: 30,", "{throughput: 30, throughput: 40,"),
            'key "throughput" appears twice (line 4',
        ),
        (PROFILE.replace("<<: [*short, *calm]", "<<: *short\n  <<: *calm"), 'key "<<" appears twice (line 7)'),
        (PROFILE.replace("<<: [*short, *calm]", "<<: 5"), "is not valid YAML: expected a mapping or list of mappings"),
        (PROFILE.replace("*calm]", "*clam]"), "is not valid YAML: found undefined alias 'clam' (line 6)"),
    ],
)
def test_what_merging_does_not_do(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Problem) as raised:
        merged(tmp_path, text)
    assert message in str(raised.value)


def test_keys_for_anchors_hold_no_secret_and_only_they_are_free(tmp_path: Path) -> None:
    assert "x-base.password: secrets are not allowed" in problems(
        merged(tmp_path, "x-base: {password: hush}\n" + PROFILE)
    )
    assert "x_base" in problems(merged(tmp_path, "x_base: {a: 1}\n" + PROFILE))


def test_a_place_in_a_file_has_the_indexes_of_that_file(tmp_path: Path) -> None:
    """Mutation: show the index of the joined list: base.yml has a reporter too."""
    found = merged(tmp_path, PROFILE.replace("p99>250ms", "q99>250ms"))
    assert "mine.yml: reporting.0.criteria.1: " in problems(found)
    two = "- module: final-stats\n  sumary: true\n- module: passfail"
    found = merged(tmp_path, PROFILE.replace("- module: passfail", two))
    assert "mine.yml: reporting.0.sumary: " in problems(found)
    found = merged(tmp_path, PROFILE, "reporting.1.criteria.0=q99>1ms")
    assert problems(found).startswith("-o reporting.1.criteria.0: ")


def test_of_two_lists_that_are_joined_each_keeps_its_indexes(tmp_path: Path) -> None:
    target = "target: {driver: noop}\nreporting:\n- module: junit-xml\n  file: x\n"
    found = problems(merged(tmp_path, PROFILE.replace("- module: passfail", "- module: pasfail"), target=target))
    assert "target.yml: reporting.0.file: unknown key" in found
    assert (
        "mine.yml: reporting.0.module: unknown value" in found
        or "mine.yml: reporting.0.module: unknown module" in found
    )


def test_a_replaced_list_begins_anew(tmp_path: Path) -> None:
    target = "target: {driver: noop}\nreporting:\n- module: junit-xml\n"
    text = PROFILE.replace("reporting:", "~reporting:").replace("p99>", "q99>")
    assert "mine.yml: reporting.0.criteria.1: " in problems(merged(tmp_path, text, target=target))


def test_one_item_without_a_list_has_no_index(tmp_path: Path) -> None:
    text = "execution: {concurrency: 2, hold-for: 2s, sceanrio: mix}\n"
    assert "mine.yml: execution.sceanrio: " in problems(merged(tmp_path, text))


@pytest.mark.parametrize("plain_bzt", [False, True])
def test_taurus_itself_reads_merge_keys(checkout: Checkout, plain_bzt: bool) -> None:
    """With final-stats, whose figures Taurus writes as XML."""
    file = checkout.root / "taurus" / "profiles" / "mine.yml"
    dump = checkout.root.parent / "final.xml"
    file.write_text(PROFILE + f"- module: final-stats\n  dump-xml: {dump}\n")
    words = checkout.files("mine") if plain_bzt else ["run", "-t", "noop", "-p", "mine"]
    code, output = checkout.run(*words, plain_bzt=plain_bzt)
    assert code == 0, output
    load = checkout.read("run.json")["load"]
    assert [(part["name"], part["seconds"], part["to_rate"]) for part in load["segments"]] == [
        ("warm-up", 1, 30), ("hold", 2, 30),
    ]  # fmt: skip
    assert "x-short" not in (checkout.bundle / "config.yml").read_text()
    root = ElementTree.parse(dump).getroot()
    groups = {group.get("label"): group for group in root.findall("Group")}
    total = int(groups[""].findtext("throughput/value") or 0)
    assert total > 0 and total == sum(
        int(group.findtext("throughput/value") or 0) for name, group in groups.items() if name
    )
