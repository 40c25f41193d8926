"""All problems of a configuration come out at once: a line each, sorted by place, at most ten."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardload import cli
from shardload.config.check import check
from shardload.config.merge import find_file, merge
from shardload.config.problem import Problem
from tests.conftest import Checkout
from tests.test_check import PLACES, ROOT, load


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


COMBINED = {
    "keys of several sections": (
        ("execution.0.hold-fr=1m", "workload.sed=1", "target.drivr=x"),
        [
            '-o execution.0.hold-fr: unknown key "hold-fr"; did you mean "hold-for"?',
            '-o target.drivr: unknown key "drivr"; did you mean "driver"?',
            '-o workload.sed: unknown key "sed"; did you mean "seed"?',
        ],
    ),
    "numbers of one item": (
        ("execution.0.hold-for=1x", "execution.0.concurrency=0", "execution.0.throughput=-1"),
        [
            "-o execution.0.concurrency: 0 is less than 1",
            '-o execution.0.hold-for: "1x" has the unknown unit "x"; known are ns, us, ms, s, m, h, d',
            '-o execution.0.throughput: "-1" is not a number above 0; write 500, 0.5, 10k or 2M',
        ],
    ),
    "a mix and a criterion": (
        ("scenarios.mix.mix.insert=21", "reporting.0.criteria=[]"),
        [
            '-o reporting.0.criteria: unknown key "criteria"; known are module',
            "taurus/workloads/document-store.yml: scenarios.mix.mix: the shares sum to 101, not to 100",
        ],
    ),
    "a mix and an unknown section": (
        ("scenarios.mix.mix.insert=21", "tarjet=1"),
        [
            '-o tarjet: unknown key "tarjet"; did you mean "target"?',
            "taurus/workloads/document-store.yml: scenarios.mix.mix: the shares sum to 101, not to 100",
        ],
    ),
    "a service and a section of Taurus": (
        ('services=["monitorin"]', "version=1"),
        [
            '-o services: services.0.module: unknown module "monitorin"; known are shellexec',
            "-o version: belongs to Taurus and has no effect here",
        ],
    ),
    "modules and settings": (
        ("modules.shardload.heep=1g", "settings.default-executor=jmeter"),
        [
            '-o modules.shardload.heep: unknown key "heep"; did you mean "heap"?',
            '-o settings.default-executor: unknown value "jmeter"; known are shardload',
        ],
    ),
    "a metrics address and server hosts": (
        ("target.metrics.listen=a:b:c", "target.hosts=[]"),
        [
            "-o target.hosts: must be a list, such as [{host: db1.example, role: shard}]",
            '-o target.metrics.listen: "a:b:c" is not an address; write host or host:port, as 127.0.0.1:9464, or off',
        ],
    ),
}


@pytest.mark.parametrize("name", COMBINED)
def test_all_at_once(name: str) -> None:
    overrides, expected = COMBINED[name]
    with pytest.raises(Problem) as refused:
        load(*overrides)
    assert str(refused.value).splitlines() == expected


def test_a_mix_of_two_files_names_both(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text("scenarios: {mix: {mix: {insert: 80, update: 20}}}\n", encoding="utf-8")
    kinds = {"target": "noop", "workload": "document-store", "profile": "smoke"}
    files = [PLACES.taurus / "base.yml", *(find_file(PLACES, kind, name) for kind, name in kinds.items()), mine]
    with pytest.raises(Problem) as refused:
        check(merge(files, (), PLACES))
    assert str(refused.value) == (
        f"{mine}: scenarios.mix.mix: the shares sum to 175, not to 100; the shares of taurus/workloads/"
        f"document-store.yml and {mine} were merged: ~mix instead of mix in {mine} replaces the other shares"
    )
    mine.write_text("scenarios: {mix: {~mix: {insert: 80, update: 20}}}\n", encoding="utf-8")
    assert check(merge(files, (), PLACES)).mix == {"insert": 80, "update": 20}


def test_ten_lines_are_enough() -> None:
    with pytest.raises(Problem) as refused:
        load(*(f"target.wrong{number:02}=1" for number in range(12)))
    lines = str(refused.value).splitlines()
    assert len(lines) == 11
    assert lines[0].startswith('-o target.wrong00: unknown key "wrong00"; ')
    assert lines[9].startswith("-o target.wrong09: ")
    assert lines[10] == "and 2 more"


def test_a_secret_is_alone() -> None:
    with pytest.raises(Problem) as refused:
        load("target.password=geheim", "execution.0.samples=geheim")
    assert len(str(refused.value).splitlines()) == 1
    assert "geheim" not in str(refused.value)


def test_each_line_names_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ["-o", "target.usr=x", "-o", "execution.0.samples=ech"]
    assert cli.main(["run", "--target", "noop", "--profile", "smoke", *wrong]) == 1
    assert capsys.readouterr().err.splitlines() == [
        'shardload: -o execution.0.samples: unknown value "ech"; did you mean "each"?',
        'shardload: -o target.usr: unknown key "usr"; did you mean "user"?',
    ]


@pytest.mark.parametrize("verb", ["run", "load"])
def test_what_only_the_child_sees_comes_out_with_the_rest(checkout: Checkout, verb: str) -> None:
    path = checkout.root / "taurus" / "targets" / "postgresql.yml"
    path.write_text(path.read_text().replace("statements:", "statments:"))
    code, output = checkout.run(verb, "--target", "postgresql", "-o", "settings.foo=1", "-o", "workloud.seed=1")
    assert code == 1
    assert output.splitlines() == [
        'shardload: -o settings.foo: unknown key "foo"; known are aggregator, artifacts-dir, check-interval, '
        "check-updates, default-executor, verbose",
        'shardload: -o workloud.seed: unknown key "workloud"; did you mean "workload"?',
        "shardload: taurus/targets/postgresql.yml: target.options.statments: unknown option; "
        'did you mean "statements"?',
    ]
    assert [request["verb"] for request in checkout.requests] == ["check"]


def test_the_child_is_not_asked_about_sections_that_cannot_be_read(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--target", "postgresql", "-o", "target.usr=x")
    assert (code, output) == (1, 'shardload: -o target.usr: unknown key "usr"; did you mean "user"?\n')
    assert not checkout.pids.joinpath("requests").exists()
