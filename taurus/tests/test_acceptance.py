"""Each check of acceptance on a launcher that answers as told: what passes, and what makes it red."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shardload.config.problem import Problem
from shardload.verbs.acceptance import failover, loads, refusals, tables
from shardload.verbs.acceptance.calls import Answer, Failed
from shardload.verbs.acceptance.model import SMALL, NotApplicable, Scene
from shardload.verbs.acceptance.variants import VARIANTS, Variant
from tests.conftest import TAURUS
from tests.fakes.fake_caller import BUNDLE, CLEAN, Told, leave, scene

CREATED = "PostgreSQL 18.6: tables created\n"
OTHER = (
    "shardload: -o workload.seed: the data set on the target was created with seed 1, not 140414; ask for that\n"
    "  to drop its 100 documents and load 20000:\n    ./shardload load --recreate --target mine\n"
)
INDEX = {"access": "index", "indexes": ["data_table_filter4"], "shards": "not sharded"}
SCAN = {"access": "full-scan", "indexes": [], "shards": "not sharded"}
BTREE = partial(tables.check_variant, Variant("index", "btree", ("PostgreSQL",)))
HASHED = partial(tables.check_variant, Variant("index", "hashed", (), lacks="has no hashed indexes"))
NO_HASHED = Told(("load",), 1, "shardload: -o schema.index: FerretDB 1.x has no hashed indexes; set ascending")
LOADED = Told(("load", "--recreate", "schema.index=btree"), output="loaded")
WRONG = {**BUNDLE, "verification.json": {"verdict": "wrong"}}
NOT_RUN = {**BUNDLE, "verification.json": {"verdict": "not run"}}
FOLDER = Told(("load", "--recreate", "--replace-foreign", "--workload"))
RUN = Told(("run",), bundle=BUNDLE)
BACK = Told(("load", "--recreate", "--replace-foreign", "workload.seed=140414"))
NO_TRANSACTIONS = (
    "shardload: transfer/mongodb.json:2: FerretDB 1.24.0 does not support transactions of several statements; they"
)
PASSWORD = {"MINE_PASSWORD": "shardload-acceptance-wrong-password"}
REFUSED = "shardload: target.password-env: the server refuses user tester with this password"
TOPOLOGY = "shardload: topology: is single, but it is a mongos"
SHARDED = {"section": {"options": {"topology": "sharded"}}}
FOREIGN = Told(("load", "theirs"), 1, "shardload: target: table data_table has no column id; use another database")
HEADLINE = {"achieved_per_second": 99.9, "offered_per_second": 100.0, "latency_ns": {"p99": 4_000_000}}
SUMMARY = {"verdict": {"name": "ok", "reasons": []}, "headline": HEADLINE}
MISSED = {"verdict": {"name": "missed", "reasons": ["criterion missed: fail>1%"]}}
SERVING = "serving http://127.0.0.1:1/metrics for mine (3 servers)\nwarning: not reported: "
UNSETTLED = Told(("load", "--recreate"), 1, "shardload: target: run r1 wrote, and no verification has settled it")
SETTLED = Told(("verify",), 0, "verification: clean\nverdict   interrupted (exit 2)\nreport    runs/r1/report.html")
DIFFERENT = "update  25  25  different\n    expected  1 row\n    mine      connection-lost\n9 of 10 equal: a, b"


def ledger(second: int, done: int) -> dict[str, Any]:
    return {"epoch_ms": 1_000 * second, "segments": {"hold": {"insert": {"done": done}, "find": {"done": 9}}}}


KILLED = Told(("run",), 0, bundle={"run.json": {}}, seconds=[ledger(second, 1) for second in range(3)])
Case = tuple[Callable[[Scene], str], dict[str, Any], Sequence[Told], str]


def schema(override: str, line: str, code: int = 1) -> Told:
    return Told(("schema", override), code, line)


PASSES: list[Case] = [
    (tables.check_target, {}, [Told(("targets", "mine", "--check"), output="yes")], "^they answer$"),
    (tables.check_tables, {}, [Told(("schema", "workload.seed=140414"), output=CREATED)], "^PostgreSQL 18.6: tables c"),
    (
        tables.check_tables,
        {"recreate": True, "discard_unsettled": ["r1"]},
        [Told(("schema", "--recreate", "--discard-unsettled", "r1"), output=CREATED)],
        "created",
    ),
    *(
        (BTREE, {}, [LOADED, Told(("run", "schema.index=btree"), code, bundle=BUNDLE)], "^loaded, run, 2,050 documents")
        for code in (0, 3, 5)
    ),
    (
        tables.check_statements,
        {},
        [FOLDER, Told(("run", "execution.0.scenario=transfers"), bundle=BUNDLE), BACK],
        "^checks clean, with transactions of several statements$",
    ),
    (
        tables.check_statements,
        {},
        [FOLDER, Told(("run", "execution.0.scenario=transfers"), 1, NO_TRANSACTIONS), RUN, BACK],
        "^checks clean, the server has no transactions",
    ),
    (refusals.check_password, {}, [Told(("schema",), 1, REFUSED, environment=PASSWORD)], "^code 1: shardload: target"),
    (refusals.check_topology, SHARDED, [schema("target.options.topology=single", TOPOLOGY)], "mongos"),
    (
        refusals.check_topology,
        {"server": "PostgreSQL 15.2, Citus 12.1"},
        [schema("target.options.balance=others", "shardload: 'balance: others' needs several")],
        "others",
    ),
    (refusals.check_topology, {}, [schema("schema.distribution=id", "shardload: citus does")], "citus does"),
    (
        refusals.check_option,
        {},
        [schema(f"{key}.acceptance-probe=1", f"shardload: -o {key}.acceptance-probe: no\n  to do so:\n")
         for key in ("target.options", "schema")],
        r"code 1.*target\.options.*code 1.*schema",
    ),
    (refusals.check_value, {}, [schema("schema.index=acceptance-probe", "shardload: x; known are hash")], "known are"),
    (refusals.check_other_data, {}, [Told(("load", "workload.seed=140415"), 1, "shardload: seed 140414")], "seed 14"),
    (refusals.check_foreign, {"foreign_target": "theirs"}, [FOREIGN], "code 1.*; with --recreate: code 1"),
    (
        loads.check_run,
        {},
        [Told(("run", "execution.0.hold-for=30s"), bundle={**BUNDLE, "summary.json": SUMMARY})],
        r"^verdict ok, 99.9/s of 100.0/s, p99 4.0 ms$",
    ),
    (
        loads.check_monitoring,
        {},
        [Told(("server-metrics",), output=SERVING + "db1:5432 io: PostgreSQL 15 does not have it")],
        "^3 servers reported; warning: not reported",
    ),
    (
        loads.check_verification,
        {},
        [Told(("verify", "--verification", "all"), 0, "note\nverification: clean, 0 wrong of 2,050 documents")],
        "^verification: clean, 0 wrong of 2,050 documents$",
    ),
    (loads.check_unsettled, {}, [KILLED, UNSETTLED, SETTLED], "^code 1: .* it; then verify: verification: clean$"),
    (
        loads.check_parity,
        {},
        [Told(("parity", "mine,embedded-postgresql"), output="10 of 10 equal: mine, embedded-postgresql")],
        "^10 of 10 equal with embedded-postgresql$",
    ),
    (
        loads.check_parity,
        {"section": {"embedded": "postgresql"}},
        [Told(("parity", "mine,embedded-mongodb"), output="10 of 10 equal: a, b")],
        "with embedded-mongodb",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("check", "given", "told", "found"), PASSES)
def test_what_passes(
    tmp_path: Path, check: Callable[[Scene], str], given: dict, told: Sequence[Told], found: str
) -> None:
    made = scene(tmp_path, *told, **given)
    assert re.search(found, check(made))
    assert not made.is_folder and not made.is_unsettled


def refused(check: Callable[[Scene], str], *words: str, line: str) -> list[Case]:
    """Return what no refusal may be: another exit code, two lines, none, or one about something else."""
    answers = ((0, line), (2, line), (1, f"{line}\n{line}"), (1, "Traceback"), (1, "shardload: no idea"))
    return [(check, {}, [Told(words, code, output)], "code") for code, output in answers]


FAILS: list[Case] = [
    (tables.check_target, {}, [Told(("targets",), 1, "shardload: mine: connection refused")], "connection refused"),
    (tables.check_tables, {}, [Told(("schema",), 1, "shardload: permission denied for schema public")], "permission"),
    (BTREE, {}, [NO_HASHED], "load ended with code 1"),
    *(
        (BTREE, {}, [LOADED, Told(("run",), code, bundle=bundle)], f"run ended with code {code}")
        for code, bundle in ((4, WRONG), (0, WRONG), (2, BUNDLE), (0, NOT_RUN))
    ),
    *(
        (tables.check_statements, {}, [FOLDER, Told(("run",), code, bundle=bundle)], f"run ended with code {code}")
        for code, bundle in ((4, WRONG), (0, WRONG), (0, NOT_RUN), (3, BUNDLE))
    ),
    (tables.check_statements, {}, [Told(("load",), 1, "shardload: permission denied")], "load ended with code 1"),
    *refused(refusals.check_value, "schema", "schema.index=acceptance-probe", line="shardload: x; known are hash"),
    *refused(refusals.check_other_data, "load", "workload.seed=140415", line="shardload: created with seed 140414"),
    (refusals.check_password, {}, [Told(("schema",), 2, REFUSED, environment=PASSWORD)], "code 2"),
    (refusals.check_foreign, {"foreign_target": "theirs"}, [Told(("load", "--recreate")), FOREIGN], "code 0"),
    (loads.check_run, {}, [Told(("run",), 3, bundle={"summary.json": MISSED})], "code 3: criterion missed"),
    (
        loads.check_monitoring,
        {},
        [Told(("server-metrics",), output=SERVING + "the role cannot see others: GRANT pg_monitor TO the role")],
        "GRANT pg_monitor",
    ),
    (loads.check_monitoring, {}, [Told(("server-metrics",), output="http://x (no server yet)")], "reached no server"),
    (loads.check_verification, {}, [Told(("verify",), 4, "verification: wrong, 1 wrong")], "4: verification: wrong"),
    (loads.check_verification, {}, [Told(("verify",), 0, "verification: not run")], "not run"),
    (loads.check_unsettled, {}, [Told(("run",), bundle={"run.json": {}}), UNSETTLED, SETTLED], "before it could be"),
    (loads.check_unsettled, {}, [KILLED, Told(("load",), 0, "loaded"), SETTLED], "was not refused"),
    (loads.check_unsettled, {}, [KILLED, UNSETTLED, Told(("verify",), 4, "verification: wrong")], "wrong"),
    (loads.check_parity, {}, [Told(("parity",), 4, DIFFERENT)], "4: update; the first of them: mine      connection-"),
    (
        failover.check_failover,
        {"failover_command": "false"},
        [Told(("run",), 3, bundle=BUNDLE, seconds=[ledger(1, 1)])],
        "before the command was started",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("check", "given", "told", "found"), FAILS)
def test_what_is_red(
    tmp_path: Path, check: Callable[[Scene], str], given: dict, told: Sequence[Told], found: str
) -> None:
    with pytest.raises(Failed, match=found):
        check(scene(tmp_path, *told, **given))


@pytest.mark.parametrize(
    ("check", "given", "told", "found"),
    [
        (HASHED, {}, [NO_HASHED], "has no hashed indexes"),
        (refusals.check_password, {}, [Told(("schema",), 0, environment=PASSWORD)], "trust"),
        (refusals.check_password, {"section": {"embedded": "x"}}, [], "embedded"),
        (refusals.check_foreign, {}, [], "no --foreign-target"),
        (failover.check_failover, {}, [], "no --failover-command"),
    ],
)
def test_what_does_not_apply(
    tmp_path: Path, check: Callable[[Scene], str], given: dict, told: Sequence[Told], found: str
) -> None:
    with pytest.raises(NotApplicable, match=found):
        check(scene(tmp_path, *told, **given))


def test_data_of_others_end_it_before_anything_is_changed(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("schema",), 1, OTHER))
    with pytest.raises(Problem, match=r"created with seed 1.*agree with --recreate"):
        tables.check_tables(made)
    assert [call[0] for call in made.caller.calls] == ["schema", "schema"]  # type: ignore[attr-defined]


def test_the_smaller_data_set_of_an_earlier_acceptance_is_taken_over(tmp_path: Path) -> None:
    there = Told(("schema", "workload.data.documents=100"), 0, "FerretDB 1.24.0: tables are there\n")
    made = scene(tmp_path, Told(("schema", "workload.data.documents=20000"), 1, OTHER), there)
    assert tables.check_tables(made) == "FerretDB 1.24.0: tables are there"
    assert (made.server, made.size) == ("FerretDB 1.24.0", SMALL)


def test_the_documents_are_put_back_after_statements_that_failed(tmp_path: Path) -> None:
    made = scene(tmp_path, FOLDER, Told(("run",), 4, bundle=WRONG), BACK)
    with pytest.raises(Failed):
        tables.check_statements(made)
    assert made.is_variant and tables.load_anew(made).code == 0, "although the table is another workload's"
    assert not made.is_variant


def test_only_runs_of_acceptance_are_given_up(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("load", "--recreate", "--discard-unsettled", "r7")))
    made.runs.append("r7")
    made.is_unsettled = True
    assert tables.load_anew(made).code == 0
    assert not made.is_unsettled


def test_every_value_of_the_schema_is_tried() -> None:
    """``SchemaFilesTest`` compares the words of the section with those of the drivers."""
    target = json.loads((TAURUS / "schemas" / "target.schema.json").read_text(encoding="utf-8"))
    tried: dict[str, set[str]] = {}
    for each in VARIANTS:
        tried.setdefault(each.key, set()).add(each.value)
    for system in ("postgresql", "mongodb"):
        options = target["definitions"][f"schema-{system}"]["properties"]
        assert set(options) <= {*tried, "zones"}, "the values of zones are those of one cluster"
        for key, node in options.items():
            assert {str(word).lower() for word in node.get("enum", ())} - {""} <= tried.get(key, set()), key


def with_bundle(tmp_path: Path, server: str = "PostgreSQL 18.6", **files: Any) -> Scene:
    """Return a scene after a run whose bundle has these files."""
    made = scene(tmp_path, server=server)
    made.bundle = leave(tmp_path / "bundle", {f"{name}.json": content for name, content in files.items()})
    return made


@pytest.mark.parametrize(
    ("plans", "part"),
    [({}, "no plans"), ({"find": SCAN}, "find: full-scan"), ({"find": {"access": "unknown"}}, "find: unknown")],
)
def test_a_plan_without_an_index_is_red(tmp_path: Path, plans: dict, part: str) -> None:
    with pytest.raises(Failed, match=part):
        loads.check_evidence(with_bundle(tmp_path, evidence={"plans": plans}))


def test_the_index_of_each_transaction_is_named(tmp_path: Path) -> None:
    plans = {"insert": {"access": "none", "indexes": [], "shards": "one shard"}, "find": INDEX}
    made = with_bundle(tmp_path, evidence={"plans": plans})
    assert loads.check_evidence(made) == "insert: no read (one shard); find: index data_table_filter4"
    made.server = "FerretDB 1.24.0"
    with pytest.raises(NotApplicable, match="no index of this server"):
        loads.check_evidence(made)


def test_a_right_that_was_missing_is_named(tmp_path: Path) -> None:
    made = with_bundle(tmp_path, environment={"server": {"note": "fine"}})
    assert "no right" in loads.check_rights(made)
    made.told.append("note: permission denied for function pg_read_file\nall is well")
    with pytest.raises(Failed, match=r"missing: note: permission denied for function pg_read_file$"):
        loads.check_rights(made)
    noted = {"server": {"note": "plan\nthis user may not read it; the role clusterMonitor on admin allows it"}}
    with pytest.raises(Failed, match="missing: this user may not read it; the role clusterMonitor on admin"):
        loads.check_rights(with_bundle(tmp_path / "b", environment=noted))


def judged(tmp_path: Path, verification: dict, *seconds: dict, code: int = 0, status: int = 0) -> str:
    command = failover.Command("true", tmp_path / "log")
    command.process = type("Ended", (), {"returncode": status})()
    command.ended_epoch_ms = 20_000
    bundle = leave(tmp_path / "bundle", {"verification.json": verification}, seconds)
    return failover.judge(scene(tmp_path), command, Answer(code, "line"), bundle)


LOST = {"verdict": "wrong", "counts": {"lost": 2, "foreign": 0}, "findings": [{"kind": "lost"}]}
AFTER = (ledger(19, 50), ledger(21, 7), ledger(22, 5))


def test_after_a_failover_writes_go_on_and_losses_are_named(tmp_path: Path) -> None:
    clean = judged(tmp_path / "a", CLEAN, *AFTER, code=3)
    assert clean == "12 writes after the failover, 0.00 % of the calls failed, verification clean"
    assert judged(tmp_path / "b", LOST, *AFTER, code=4).endswith("verification names what was lost: 2 lost")


@pytest.mark.parametrize(
    ("verification", "seconds", "status"),
    [
        (CLEAN, (ledger(19, 50), ledger(21, 0)), 0),
        ({**LOST, "counts": {"corrupted": 1}}, AFTER, 0),
        ({"verdict": "not run"}, AFTER, 0),
        (CLEAN, AFTER, 1),
    ],
)
def test_a_failover_after_which_something_is_wrong_is_red(
    tmp_path: Path, verification: dict, seconds: tuple, status: int
) -> None:
    with pytest.raises(Failed):
        judged(tmp_path, verification, *seconds, code=4, status=status)


def test_the_command_is_started_in_mid_load(tmp_path: Path) -> None:
    """The load of the fake ends with the second in which the command starts."""
    seconds = [ledger(second, 1) for second in range(15)]
    made = scene(tmp_path, Told(("run",), 0, bundle=BUNDLE, seconds=seconds), failover_command="echo promoted")
    with pytest.raises(Failed, match=r"no write was done after|did not end within"):
        failover.check_failover(made)
    assert (tmp_path / "failover-command.log").exists()
