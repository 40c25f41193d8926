"""Each check of acceptance on a launcher that answers as told: what passes, and what makes it red."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from shardload.config.problem import Problem
from shardload.verbs.acceptance import failover, loads, refusals, tables
from shardload.verbs.acceptance.model import Failed, NotApplicable, Scene
from shardload.verbs.acceptance.variants import OF_ONE_CLUSTER, VARIANTS, Variant
from tests.conftest import TAURUS
from tests.fakes.fake_caller import BUNDLE, CLEAN, Told, scene

CREATED = "PostgreSQL 18.6: tables created\n"
OTHER = (
    "shardload: -o workload.seed: the data set on the target was created with seed 1, not 140414; ask for that\n"
    "  to drop its 100 documents and load 20000:\n    ./shardload load --recreate --target mine\n"
)
INDEX = {"access": "index", "indexes": ["data_table_filter4"], "shards": "not sharded"}
SCAN = {"access": "full-scan", "indexes": [], "shards": "not sharded"}
BTREE = Variant("index", "btree", ("PostgreSQL",))


def ledger(second: int, done: int) -> dict[str, Any]:
    return {"epoch_ms": 1_000 * second, "segments": {"hold": {"insert": {"done": done}, "find": {"done": 9}}}}


def test_the_server_is_known_by_what_the_tables_are_made_on(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("schema", "mine"), output=CREATED), server="")
    assert tables.check_tables(made) == "PostgreSQL 18.6: tables created"
    assert made.server == "PostgreSQL 18.6"
    assert "workload.seed=140414" in made.caller.calls[0]  # type: ignore[attr-defined]


def test_data_of_others_end_it_before_anything_is_changed(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("schema",), 1, OTHER))
    with pytest.raises(Problem, match=r"created with seed 1.*agree with --recreate"):
        tables.check_tables(made)
    assert [call[0] for call in made.caller.calls] == ["schema", "schema"]  # type: ignore[attr-defined]


def test_the_smaller_data_set_of_an_earlier_acceptance_is_taken_over(tmp_path: Path) -> None:
    refused = Told(("schema", "workload.data.documents=20000"), 1, OTHER)
    there = Told(("schema", "workload.data.documents=100"), 0, "FerretDB 1.24.0: tables are there\n")
    made = scene(tmp_path, refused, there, server="")
    assert tables.check_tables(made) == "FerretDB 1.24.0: tables are there"
    assert made.size == loads.SMALL


def test_only_who_agrees_has_data_dropped(tmp_path: Path) -> None:
    agreed = scene(tmp_path, Told(("schema", "--recreate", "--discard-unsettled", "r1"), output=CREATED), recreate=True,
                   discard_unsettled=["r1"])  # fmt: skip
    assert "created" in tables.check_tables(agreed)


def test_tables_that_cannot_be_made_are_red(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="permission denied for schema public"):
        tables.check_tables(
            scene(tmp_path, Told(("schema",), 1, "shardload: target: permission denied for schema public"))
        )


def test_a_server_that_does_not_answer_is_red(tmp_path: Path) -> None:
    assert tables.check_target(scene(tmp_path, Told(("targets", "mine", "--check"), output="yes"))) == "they answer"
    with pytest.raises(Failed, match="connection refused"):
        tables.check_target(scene(tmp_path, Told(("targets",), 1, "shardload: mine: connection refused")))


def variant_of(tmp_path: Path, run: Told, load: Told | None = None) -> Scene:
    return scene(tmp_path, load or Told(("load", "--recreate", "schema.index=btree"), output="loaded"), run)


@pytest.mark.parametrize("code", [0, 3, 5])
def test_a_variant_is_loaded_run_and_verified_whatever_its_speed(tmp_path: Path, code: int) -> None:
    made = variant_of(tmp_path, Told(("run", "schema.index=btree"), code, bundle=BUNDLE))
    assert tables.check_variant(BTREE, made) == "loaded, run, 2,050 documents verified, 0 wrong"


@pytest.mark.parametrize(
    ("code", "verification"),
    [(4, {"verdict": "wrong"}), (0, {"verdict": "wrong"}), (2, CLEAN), (0, {"verdict": "not run"})],
)
def test_a_variant_with_wrong_documents_is_red(tmp_path: Path, code: int, verification: dict) -> None:
    bundle = {**BUNDLE, "verification.json": verification}
    with pytest.raises(Failed, match=f"run ended with code {code}"):
        tables.check_variant(BTREE, variant_of(tmp_path, Told(("run",), code, bundle=bundle)))


NO_TRANSACTIONS = (
    "shardload: transfer/mongodb.json:2: FerretDB 1.24.0 does not support transactions of several statements; they"
)


def statements_on(tmp_path: Path, *answers: Told) -> Scene:
    """Return a scene; the last answer is that of the load that brings the documents back."""
    return scene(tmp_path, *answers, Told(("load", "--recreate", "--replace-foreign", "workload.seed=140414")))


def test_statements_from_files_run_and_the_documents_come_back(tmp_path: Path) -> None:
    load = Told(("load", "--recreate", "--replace-foreign", "--workload"))
    made = statements_on(tmp_path, load, Told(("run", "execution.0.scenario=transfers"), bundle=BUNDLE))
    assert tables.check_statements(made) == "checks clean, with transactions of several statements"
    assert not made.is_folder and not made.is_variant
    words = made.caller.calls[0]  # type: ignore[attr-defined]
    assert Path(words[words.index("--workload") + 1], "workload.yml").relative_to(made.places.root)


def test_a_server_without_transactions_gets_single_statements(tmp_path: Path) -> None:
    load = Told(("load", "--recreate", "--replace-foreign", "--workload"))
    refused, run = Told(("run", "execution.0.scenario=transfers"), 1, NO_TRANSACTIONS), Told(("run",), bundle=BUNDLE)
    found = tables.check_statements(statements_on(tmp_path, load, refused, run))
    assert found == "checks clean, the server has no transactions of several statements"


@pytest.mark.parametrize(("code", "verdict"), [(4, "wrong"), (0, "wrong"), (0, "not run"), (3, "clean")])
def test_statements_that_lose_money_or_miss_their_criteria_are_red(tmp_path: Path, code: int, verdict: str) -> None:
    bundle = {**BUNDLE, "verification.json": {"verdict": verdict}}
    made = statements_on(tmp_path, Told(("load", "--workload")), Told(("run",), code, bundle=bundle))
    with pytest.raises(Failed, match=f"run ended with code {code}"):
        tables.check_statements(made)
    assert made.is_variant, "the documents are put back at the end"
    assert tables.load_anew(made, []).code == 0, "although the table is another workload's"
    assert not made.is_variant


def test_a_folder_that_cannot_be_loaded_is_red(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="load ended with code 1: shardload: permission denied"):
        tables.check_statements(scene(tmp_path, Told(("load",), 1, "shardload: permission denied")))


def test_a_variant_that_the_server_lacks_does_not_apply_and_any_other_refusal_is_red(tmp_path: Path) -> None:
    refused = Told(("load",), 1, "shardload: -o schema.index: FerretDB 1.x has no hashed indexes; set ascending")
    lacking = Variant("index", "hashed", (), lacks="has no hashed indexes")
    with pytest.raises(NotApplicable, match="has no hashed indexes"):
        tables.check_variant(lacking, scene(tmp_path, refused))
    with pytest.raises(Failed, match="load ended with code 1"):
        tables.check_variant(BTREE, scene(tmp_path, refused))


def test_only_runs_of_acceptance_are_given_up(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("load", "--recreate", "--discard-unsettled", "r7")))
    made.runs.append("r7")
    made.is_variant = made.is_unsettled = True
    assert tables.load_anew(made, []).code == 0
    assert (made.is_variant, made.is_unsettled) == (False, False)


def test_every_documented_value_of_the_schema_is_tried() -> None:
    """The choices stand in the drivers' SchemaOptions."""
    drivers = TAURUS.parent / "java-samplers/src/main/java/io/shardload/driver"
    sources = [path.read_text() for path in sorted(drivers.glob("*/schema/SchemaOptions.java"))]
    assert len(sources) == 2
    tried: dict[str, set[str]] = {}
    for each in VARIANTS:
        tried.setdefault(each.key, set()).add(each.value)
    words = {"HASHED": "hashed", "ID_FILTER1": "id-filter1", "SERVERS_DEFAULT": "default", "NONE": "none"}
    for source in sources:
        choices = re.findall(r'\.choice\(\s*"([\w-]+)",[^;]*?List\.of\(([^)]*)\)', source)
        assert choices
        for key, listed in choices:
            assert {words.get(value.strip('" \n'), value.strip('" \n')) for value in listed.split(",")} <= tried[key]
        keys = re.findall(r'options\.(?:choice|integer|duration|flag|text)\(\s*"([\w-]+)"', source)
        assert set(keys) <= set(tried) | set(OF_ONE_CLUSTER)


REFUSALS = {
    refusals.check_topology: (
        "schema",
        "schema.distribution=id",
        "shardload: the database does not have the Citus extension",
    ),
    refusals.check_value: (
        "schema",
        "schema.index=acceptance-probe",
        "shardload: unknown value; known are hash, btree",
    ),
    refusals.check_other_data: (
        "load",
        "workload.seed=140415",
        "shardload: -o workload.seed: created with seed 140414",
    ),
}


@pytest.mark.parametrize("check", REFUSALS)
def test_a_refusal_is_exit_code_1_and_one_line_that_names_the_matter(tmp_path: Path, check: Any) -> None:
    *words, line = REFUSALS[check]
    assert check(scene(tmp_path, Told(tuple(words), 1, f"{line}\n  to do something:\n"))) == f"code 1: {line}"
    for code, output in ((0, line), (2, line), (1, f"{line}\n{line}"), (1, "Traceback"), (1, "shardload: no idea")):
        with pytest.raises(Failed):
            check(scene(tmp_path, Told(tuple(words), code, output)))


def test_both_unknown_options_are_refused(tmp_path: Path) -> None:
    target = Told(
        ("schema", "target.options.acceptance-probe=1"), 1, "shardload: -o target.options.acceptance-probe: no"
    )
    schema = Told(("schema", "schema.acceptance-probe=1"), 1, "shardload: -o schema.acceptance-probe: no")
    assert refusals.check_option(scene(tmp_path, target, schema)).count("code 1") == 2
    with pytest.raises(Failed, match="code 0"):
        refusals.check_option(scene(tmp_path, target, Told(schema.words, 0)))


def test_the_topology_that_is_refused_is_another_than_the_targets(tmp_path: Path) -> None:
    sharded = {"options": {"topology": "sharded"}}
    told = Told(("schema", "target.options.topology=single"), 1, "shardload: topology: is single, but it is a mongos")
    assert "mongos" in refusals.check_topology(scene(tmp_path, told, section=sharded))
    told = Told(
        ("schema", "target.options.balance=others"), 1, "shardload: target.url: 'balance: others' needs several"
    )
    assert "others" in refusals.check_topology(scene(tmp_path, told, server="PostgreSQL 15.2, Citus 12.1"))


def test_a_wrong_password(tmp_path: Path) -> None:
    wrong = {"MINE_PASSWORD": "shardload-acceptance-wrong-password"}
    line = "shardload: target.password-env: the server refuses user tester with this password"
    told = Told(("schema",), 1, line, environment=wrong)
    assert refusals.check_password(scene(tmp_path, told)) == f"code 1: {line}"
    with pytest.raises(NotApplicable, match="trust"):
        refusals.check_password(scene(tmp_path, Told(("schema",), 0, environment=wrong)))
    with pytest.raises(Failed, match="code 2"):
        refusals.check_password(scene(tmp_path, Told(("schema",), 2, line, environment=wrong)))
    with pytest.raises(NotApplicable, match="embedded"):
        refusals.check_password(scene(tmp_path, section={"embedded": "x"}))


def test_foreign_data_are_refused_with_and_without_recreate(tmp_path: Path) -> None:
    line = "shardload: target: table data_table has no column id; use another database"
    refused = Told(("load", "--target", "theirs"), 1, line)
    assert refusals.check_foreign(scene(tmp_path, refused, foreign_target="theirs")).count("code 1") == 2
    dropped = Told(("load", "theirs", "--recreate"), 0, "loaded")
    with pytest.raises(Failed, match="code 0"):
        refusals.check_foreign(scene(tmp_path, dropped, refused, foreign_target="theirs"))
    with pytest.raises(NotApplicable, match="no --foreign-target"):
        refusals.check_foreign(scene(tmp_path))


def test_a_run_needs_its_verdict(tmp_path: Path) -> None:
    headline = {"achieved_per_second": 99.9, "offered_per_second": 100.0, "latency_ns": {"p99": 4_000_000}}
    summary = {"verdict": {"name": "ok", "reasons": []}, "headline": headline, "ledger": {"closed": True}}
    bundle = {**BUNDLE, "summary.json": summary}
    made = scene(tmp_path, Told(("run", "execution.0.hold-for=30s"), bundle=bundle))
    assert loads.check_run(made) == "verdict ok, 99.9/s of 100.0/s, p99 4.0 ms"
    assert made.bundle is not None
    missed = {"verdict": {"name": "missed", "reasons": ["criterion missed: fail>1%"]}}
    with pytest.raises(Failed, match="code 3: criterion missed") as raised:
        loads.check_run(scene(tmp_path / "b", Told(("run",), 3, bundle={**bundle, "summary.json": missed})))
    assert raised.value.code == 3


@pytest.mark.parametrize(
    ("plans", "part"),
    [({}, "no plans"), ({"find": SCAN}, "find: full-scan"), ({"find": {"access": "unknown"}}, "find: unknown")],
)
def test_a_plan_without_an_index_is_red(tmp_path: Path, plans: dict, part: str) -> None:
    made = scene(tmp_path, Told(("run",), bundle={**BUNDLE, "evidence.json": {"plans": plans}}))
    loads_bundle(made)
    with pytest.raises(Failed, match=part):
        loads.check_evidence(made)


def test_the_index_of_each_transaction_is_named(tmp_path: Path) -> None:
    plans = {"insert": {"access": "none", "indexes": [], "shards": "one shard"}, "find": INDEX}
    made = scene(tmp_path, Told(("run",), bundle={**BUNDLE, "evidence.json": {"plans": plans}}))
    loads_bundle(made)
    assert loads.check_evidence(made) == "insert: no read (one shard); find: index data_table_filter4"
    made.server = "FerretDB 1.24.0"
    with pytest.raises(NotApplicable, match="no index of this server"):
        loads.check_evidence(made)


def loads_bundle(made: Scene) -> None:
    """Have the scene look at the bundle of a run as told."""
    made.bundle = loads.run(made, 1)[1]
    assert made.bundle is not None


def test_a_right_that_was_missing_is_named(tmp_path: Path) -> None:
    made = scene(tmp_path, Told(("run",), bundle={**BUNDLE, "environment.json": {"server": {"note": "fine"}}}))
    loads_bundle(made)
    assert "no right" in loads.check_rights(made)
    made.told.append("note: permission denied for function pg_read_file\nall is well")
    with pytest.raises(Failed, match=r"missing: note: permission denied for function pg_read_file$"):
        loads.check_rights(made)
    noted = {"server": {"note": "this user may not read it; the role clusterMonitor on admin allows it"}}
    made = scene(tmp_path / "b", Told(("run",), bundle={**BUNDLE, "environment.json": noted}))
    loads_bundle(made)
    with pytest.raises(Failed, match="clusterMonitor on admin"):
        loads.check_rights(made)


def test_monitoring_tells_rights_from_what_a_server_does_not_have(tmp_path: Path) -> None:
    serving = "serving http://127.0.0.1:1/metrics for mine (3 servers)\nwarning: not reported: "
    fine = Told(("server-metrics",), output=serving + "db1:5432 io: PostgreSQL 15 does not have it")
    assert loads.check_monitoring(scene(tmp_path, fine)).startswith("3 servers reported; warning: not reported")
    lacking = Told(
        ("server-metrics",),
        output=serving + "the role cannot see sessions of other roles: GRANT pg_monitor TO the role",
    )
    with pytest.raises(Failed, match="GRANT pg_monitor"):
        loads.check_monitoring(scene(tmp_path, lacking))
    with pytest.raises(Failed, match="reached no server"):
        loads.check_monitoring(scene(tmp_path, Told(("server-metrics",), output="serving http://x (no server yet)")))


@pytest.mark.parametrize(
    ("code", "line"), [(4, "verification: wrong, 1 wrong"), (0, "verification: not run"), (0, "hm")]
)
def test_verification_has_to_be_clean(tmp_path: Path, code: int, line: str) -> None:
    with pytest.raises(Failed, match=line):
        loads.check_verification(scene(tmp_path, Told(("verify", "--verification", "all"), code, line)))
    clean = "verification: clean, 0 wrong of 2,050 documents"
    assert loads.check_verification(scene(tmp_path, Told(("verify",), 0, f"note\n{clean}"))) == clean


KILLED = Told(("run",), 0, bundle={"run.json": {}}, seconds=[ledger(second, 1) for second in range(3)])
UNSETTLED = Told(
    ("load", "--recreate"), 1, "shardload: target: run r1 wrote to the data set, and no verification has settled it"
)
SETTLED = Told(("verify",), 0, "verification: clean\nverdict   interrupted (exit 2)\nreport    runs/r1/report.html")


def test_what_a_killed_run_left_is_refused_and_then_settled(tmp_path: Path) -> None:
    made = scene(tmp_path, KILLED, UNSETTLED, SETTLED)
    assert loads.check_unsettled(made).endswith("then verify: verification: clean")
    assert made.is_unsettled is False


@pytest.mark.parametrize(
    "told",
    [
        (Told(("run",), 0, bundle={"run.json": {}}), UNSETTLED, SETTLED),
        (KILLED, Told(("load",), 0, "loaded"), SETTLED),
        (KILLED, UNSETTLED, Told(("verify",), 4, "verification: wrong")),
    ],
)
def test_data_that_are_not_refused_or_not_settled_are_red(tmp_path: Path, told: tuple[Told, ...]) -> None:
    with pytest.raises(Failed):
        loads.check_unsettled(scene(tmp_path, *told))


def test_parity(tmp_path: Path) -> None:
    equal = Told(("parity", "mine,embedded-postgresql"), output="10 of 10 equal: mine, embedded-postgresql")
    assert loads.check_parity(scene(tmp_path, equal)) == "10 of 10 equal with embedded-postgresql"
    lines = ("update  25  25  different", "    expected  1 row", "    mine      connection-lost", "9 of 10 equal: a, b")
    table = "\n".join(lines)
    with pytest.raises(Failed, match=r"4: update; the first of them: mine      connection-lost$") as raised:
        loads.check_parity(scene(tmp_path, Told(("parity",), 4, table)))
    assert raised.value.code == 4
    itself = Told(("parity", "mine,embedded-mongodb"), output="10 of 10 equal: a, b")
    section = {"embedded": "embedded-postgresql".partition("-")[2]}
    assert "embedded-mongodb" in loads.check_parity(scene(tmp_path, itself, section=section))


def judged(tmp_path: Path, verification: dict, seconds: list, code: int = 0, status: int = 0) -> str:
    made = scene(tmp_path, Told(("run",), code, bundle={**BUNDLE, "verification.json": verification}, seconds=seconds))
    loads_bundle(made)
    command = failover.Command("true", tmp_path / "log")
    command.process = type("Ended", (), {"returncode": status})()
    command.ended_epoch_ms = 20_000
    return failover.judge(made, command, code, "line", made.bundle)


def test_after_a_failover_writes_go_on_and_losses_are_named(tmp_path: Path) -> None:
    after = [ledger(19, 50), ledger(21, 7), ledger(22, 5)]
    assert (
        judged(tmp_path / "a", CLEAN, after, 3)
        == "12 writes after the failover, 0.00 % of the calls failed, verification clean"
    )
    lost = {"verdict": "wrong", "counts": {"lost": 2, "foreign": 0}, "findings": [{"kind": "lost"}]}
    assert judged(tmp_path / "b", lost, after, 4).endswith("verification names what was lost: 2 lost")
    for name, verification, seconds, status in (
        ("c", CLEAN, [ledger(19, 50), ledger(21, 0)], 0),
        ("d", {**lost, "counts": {"corrupted": 1}}, after, 0),
        ("e", {"verdict": "not run"}, after, 0),
        ("f", CLEAN, after, 1),
    ):
        with pytest.raises(Failed):
            judged(tmp_path / name, verification, seconds, 4, status)


def test_without_a_command_there_is_no_failover(tmp_path: Path) -> None:
    with pytest.raises(NotApplicable, match="--failover-command"):
        failover.check_failover(scene(tmp_path))


def test_the_command_is_started_in_mid_load(tmp_path: Path) -> None:
    seconds = [ledger(second, 1) for second in range(15)]
    made = scene(tmp_path, Told(("run",), 0, bundle=BUNDLE, seconds=seconds), failover_command="echo promoted")
    with pytest.raises(Failed, match=r"no write was done after|did not end within"):
        failover.check_failover(made)  # the load of the fake ends with the second in which the command starts
    assert (tmp_path / "failover-command.log").exists()
    early = scene(tmp_path / "b", Told(("run",), 3, bundle=BUNDLE, seconds=seconds[:9]), failover_command="false")
    with pytest.raises(Failed, match="ended before the command"):
        failover.check_failover(early)
