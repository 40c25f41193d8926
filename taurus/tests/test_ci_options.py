"""Options for callers such as Jenkins: empty values, shortcuts, ``--options``; what they set and what they refuse."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from shardload.cli import build_parser
from shardload.config.check import check
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.usage import without_empty
from shardload.verbs.ci.overrides import settle
from shardload.verbs.run import files_of
from tests.conftest import TAURUS, Checkout

PLACES = Places(TAURUS.parent)
PARSER = build_parser()


def settled(*words: str) -> argparse.Namespace:
    options = PARSER.parse_args(without_empty(words, PARSER))
    settle(options, PLACES)
    return options


def overrides(*words: str) -> list[str]:
    return settled(*words).option


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["run", "--rate", "", "-o", "", "-t", ""], ["run"]),
        (["run", "--rate=", "--option=", "--target=citus"], ["run", "--target=citus"]),
        (["run", "--interleave-with", "--rate", "--repeat", ""], ["run", "--interleave-with", "--rate"]),
        (["load", "--recreate", ""], ["load", "--recreate", ""]),
        (["run", "--prof", "", "--verbose", "-o", "a="], ["run", "--prof", "", "--verbose", "-o", "a="]),
        (["run", "--no-such", ""], ["run", "--no-such", ""]),
        (["run", "--", "--rate", ""], ["run", "--", "--rate", ""]),
        (["publish", "x", "--url", "", "--user", ""], ["publish", "x"]),
        (["targets", "citus", "", "--lock"], ["targets", "citus", "", "--lock"]),
    ],
)
def test_an_empty_value_is_not_given(words: list[str], kept: list[str]) -> None:
    assert without_empty(words, PARSER) == kept


def test_with_empty_parameters_a_run_is_the_default_one() -> None:
    names = ("target", "workload", "profile", "rate", "duration", "document-size", "seed", "load-hosts", "options")
    empty = [word for name in names for word in (f"--{name}", "")]
    given = vars(settled("run", *empty, "--repeat", "", "--interleave-with", "", "-o", ""))
    assert given == vars(settled("run"))
    assert given["option"] == []


def test_shortcuts_are_overrides() -> None:
    words = ["run", "--rate", "12.50", "--duration", "5m", "--document-size", "4KiB", "--seed", "007", "-o", "a.b=c"]
    assert overrides(*words, "--load-hosts", "h1, 10.9.0.3:2099") == [
        "a.b=c",
        "execution.0.throughput=12.5",
        'workload.data.document-size="4KiB"',
        "workload.seed=7",
        'target.load-hosts=["h1", "10.9.0.3:2099"]',
        'execution.0.hold-for="5m"',
    ]


@pytest.mark.parametrize(
    ("words", "override"),
    [
        (["--profile", "max-capacity"], 'execution.0.ramp-up="90"'),
        (["--profile", "closed"], 'execution.0.hold-for="90"'),
        (["--profile", "steady", "--options", "execution.0.steps=3"], 'execution.0.ramp-up="90"'),
        (["--profile", "steady", "--vary", "execution.0.steps=3,4"], 'execution.0.ramp-up="90"'),
    ],
)
def test_the_duration_is_that_of_steps_or_of_the_hold(words: list[str], override: str) -> None:
    assert overrides("run", "--duration", "90", *words)[-1] == override


def test_what_a_shortcut_sets_is_what_the_run_has() -> None:
    words = ["run", "--profile", "steady", "--rate", "30", "--duration", "010", "--options", "execution.0.retries=2"]
    options = settled(*words, "-o", "execution.0.concurrency=3")
    merged = merge(files_of(options, PLACES), options.option, PLACES, options.flags)
    load = check(merged).load
    assert load is not None
    assert (load.throughput, load.hold_for, load.concurrency) == (30, 10, 3)
    assert merged.config["execution"][0]["retries"] == 2


def test_several_overrides_in_one_argument_are_quoted_as_in_a_shell() -> None:
    text = """execution.0.limits='{errors: 1%, p99: 50ms}'\n schema.index=btree target.options.statements="simple" """
    assert overrides("run", "--options", text) == [
        "execution.0.limits={errors: 1%, p99: 50ms}",
        "schema.index=btree",
        "target.options.statements=simple",
    ]


def test_the_criterion_of_the_documentation_is_one_of_the_run() -> None:
    documented = re.findall("with EXTRA `(.*?)`", (PLACES.root / "docs" / "jenkins.md").read_text(encoding="utf-8"))
    assert len(documented) == 1
    options = settled("run", "--options", documented[0])
    criteria = check(merge(files_of(options, PLACES), options.option, PLACES)).criteria
    assert "p99>1us" in str(criteria)


@pytest.mark.parametrize("verb", ["schema", "load", "verify", "calibrate"])
def test_other_verbs_leave_the_keys_of_a_run_out(verb: str) -> None:
    text = "execution.0.retries=2 schema.index=btree reporting.1.criteria.0=fail>2%"
    assert overrides(verb, "--options", text, "--seed", "3") == ["schema.index=btree", "workload.seed=3"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "0"], '--rate: "0'),
        (["--rate", "null"], '--rate: "null" is not a number above 0'),
        (["--seed", "1.5"], '--seed: "1.5" is not a whole number; write 10000, 10k or 2M'),
        (["--duration", "0"], '--duration: "0" is not a duration above 0'),
        (["--document-size", "{a: 1}"], '--document-size: "{a: 1}" is not a size; write it like 4KiB'),
        (
            ["--load-hosts", "a; touch pwned"],
            '--load-hosts: "a; touch pwned" is not a load host; write host or host:port',
        ),
        (["--load-hosts", "$(id)"], '--load-hosts: "$(id)" is not a load host'),
        (["--load-hosts", "h1,\nh2,"], '--load-hosts: "" is not a load host'),
        (["--load-hosts", "me:geheim@h1"], "--load-hosts: takes hosts and ports only; a user or password would"),
        (
            ["--rate", "5", "--options", "execution.0.throughput=6"],
            "--rate: execution.0.throughput is set by --options",
        ),
        (["--options", "schema.index=a schema.index=b"], "--options: schema.index is set by it twice; keep one"),
        (["--options", "schema.index='a"], "--options: no closing quotation; quote values as in a shell"),
        (["--options", "schema.index=a geheim"], "--options: word 2 is not a plain key=value, as in"),
        (["--options", "--allow-commands x=1"], "--options: word 1 is not a plain key=value"),
        (["--options", "~target.options.ssl=1"], "--options: word 1 is not a plain key=value"),
        (["--options", "schema.*url=x"], "--options: word 1 is not a plain key=value"),
        (["--options", "target.options.'ssl'=x"], "--options: target.options.ssl may be set in the target file or"),
        (["--options", "target.options.x.*ssl=disable"], "--options: word 1 is not a plain key=value"),
        (["--vary", "~target.options.ssl=disable,require"], "--vary: is not a plain key=value,value, as in"),
        (["--options", "schema.index='a\nb'"], "--options: schema.index: the value has a line break"),
        (["--options", "schema.index=a\x1b[31m"], "--options: has a control character"),
        (["--options", "schema.password=geheim"], "--options schema.password: secrets are not allowed in files or"),
    ],
)
def test_what_is_refused_in_one_line(words: list[str], message: str) -> None:
    with pytest.raises(Problem) as problem:
        settled("run", *words)
    assert str(problem.value).startswith(message)
    assert "\n" not in str(problem.value) and "geheim" not in str(problem.value)


@pytest.mark.parametrize(
    "key",
    [
        "target.url", "target", "target.redis.url", "target.load-hosts", "target.options", "target.metrics.url",
        "services", "services.0.module", "modules.shardload.class", "settings.env.A", "execution.0.distributed",
        "execution.0.distributed.0", "execution.0", "execution", "reporting.0.filename", "reporting.0", "cli.linter",
        "reporting.1.module", "provisioning",
    ],
)  # fmt: skip
def test_nothing_but_the_test_itself_is_set_by_options(key: str) -> None:
    for flag in ("--options", "--vary"):
        with pytest.raises(Problem, match=f"^{flag}: {key} may be set in the target file or with -o, not here"):
            settled("run", flag, f"{key}=1")


def test_of_the_drivers_options_those_of_encryption_and_login_are_the_target_files() -> None:
    schema = json.loads((TAURUS / "schemas" / "target.schema.json").read_text(encoding="utf-8"))
    drivers = [content for name, content in schema["definitions"].items() if name.startswith("options-")]
    assert len(drivers) == 4
    refused = set()
    for name in {name for driver in drivers for name in driver["properties"]}:
        key = f"target.options.{name}"
        assert overrides("run", "-o", f"{key}=x") == [f"{key}=x"], "a person's own command line sets any"
        for flag in ("--options", "--vary"):
            try:
                settled("run", flag, f"{key}=x")
            except Problem as problem:
                assert str(problem).startswith(f"{flag}: {key} may be set in the target file or with -o, not here")
                refused.add(name)
    assert refused == {
        "ssl", "ssl-root-certificate", "ssl-certificate", "ssl-key", "ssl-key-password-env", "auth-source",
        "auth-mechanism",
    }  # fmt: skip


def test_a_profile_without_a_length_to_set_says_so(checkout: Checkout) -> None:
    profile = checkout.root / "taurus" / "profiles" / "climb.yml"
    profile.write_text("execution:\n- {concurrency: 2, ramp-up: 5s, scenario: mix}\n")
    options = PARSER.parse_args(["run", "--profile", "climb", "--duration", "5s"])
    with pytest.raises(Problem, match=r"^--duration: the profile climb has neither hold-for nor steps"):
        settle(options, Places(checkout.root))


def test_the_length_and_rate_of_stages_are_those_of_each(checkout: Checkout) -> None:
    options = PARSER.parse_args(["run", "--profile", "spike", "--duration", "5s"])
    with pytest.raises(Problem, match=r"^--duration: the profile spike has stages; set the time of each with -o exec"):
        settle(options, Places(checkout.root))
    code, output = checkout.run("run", "--profile", "spike", "--target", "noop", "--rate", "50")
    line = "--rate: execution.0.throughput: cannot be combined with stages; each stage has its own throughput"
    assert (code, output) == (1, f"shardload: {line}\n")


def test_a_problem_names_the_option_that_set_the_key(checkout: Checkout) -> None:
    code, output = checkout.run("run", "--options", "execution.0.retires=2")
    assert (code, output) == (
        1,
        'shardload: --options: execution.0.retires: unknown key "retires"; did you mean "retries"?\n',
    )
    code, output = checkout.run("run", "--target", "noop", "--load-hosts", "no-such-host.invalid")
    assert code == 1
    assert output.startswith('shardload: --load-hosts: target.load-hosts.0: the name "no-such-host.invalid" does not')


def test_a_run_has_what_shortcuts_set(checkout: Checkout) -> None:
    fast = checkout.options(hold_for=None)
    words = ["--duration", "2s", "--rate", "50", "--seed", "5", "--options", "schema.index=btree", "--repeat", ""]
    code, output = checkout.run("run", "--target", "noop", *fast, *words)
    assert code == 0, output
    config = checkout.read("run.json")
    assert config["load"]["segments"][-1]["seconds"] == 2
    assert config["load"]["segments"][-1]["to_rate"] == 50
    assert (config["workload"]["seed"], config["schema"]) == (5, {"index": "btree"})


def test_missed_criteria_may_end_with_0(checkout: Checkout) -> None:
    profile = checkout.root / "taurus" / "profiles" / "smoke.yml"
    profile.write_text(profile.read_text().replace("fail>1%", "hits>1 for 1s"))
    words = ["run", "--target", "noop", *checkout.options(), "--allow-missed-criteria"]
    code, output = checkout.run(*words)
    assert (code, output.splitlines()[-1]) == (0, "exit code 0, not 3: --allow-missed-criteria"), output
    assert json.loads((checkout.bundle / "summary.json").read_text())["verdict"]["code"] == 3


def test_worse_than_missed_stays(checkout: Checkout) -> None:
    words = ["run", "--target", "noop", *checkout.options(), "--allow-missed-criteria"]
    code, output = checkout.run(*words, FAKE_CHILD="wrong")
    assert code == 4, output


# --- the folder of results


def test_the_folder_of_results_names_the_run_and_nothing_older(checkout: Checkout) -> None:
    folder = checkout.root / "out" / "results"
    words = ["run", "--target", "noop", *checkout.options(), "--results", "out/results"]
    assert checkout.run(*words)[0] == 0
    assert (folder / "run").read_text() == checkout.bundle.name + "\n"
    (folder / "old").mkdir()
    (folder / "old" / "file").touch()
    code, output = checkout.run(*words, "-o", "execution.0.retires=1")
    assert code == 1, output
    assert [path.name for path in folder.iterdir()] == [".shardload-results"]
    (folder / "run").write_text("old\n")
    for named in (["--results", "out/results"], ["--results=out/results"]):
        (folder / "junit.xml").touch()
        assert checkout.run("run", "--repeat", "x", *named)[0] == 1
        assert [path.name for path in folder.iterdir()] == [".shardload-results"], "argparse refused it"


def test_a_run_that_the_server_refuses_leaves_no_name(checkout: Checkout) -> None:
    code, output = checkout.run("run", *checkout.options(), "--results", "out", FAKE_CHILD="schema-error")
    assert code == 1, output
    assert [path.name for path in (checkout.root / "out").iterdir()] == [".shardload-results"]


@pytest.mark.parametrize("name", ["mine", ".", "runs", ".shardload/data", "taurus/base.yml"])
def test_a_folder_that_shardload_did_not_make_stays(checkout: Checkout, name: str) -> None:
    file = checkout.root / "mine" / "file"
    file.parent.mkdir()
    file.touch()
    code, output = checkout.run("run", "--target", "noop", "--results", name)
    assert code == 1 and output.startswith("shardload: --results: ") and len(output.splitlines()) == 1, output
    assert file.is_file() and Path(checkout.root, "taurus/base.yml").is_file()
    assert not (checkout.root / "runs").exists()


def test_a_series_is_named_as_soon_as_it_begins(checkout: Checkout) -> None:
    words = ["run", "--target", "noop", *checkout.options(), "--repeat", "1", "--results", "out"]
    code, output = checkout.run(*words)
    assert code == 0, output
    assert (checkout.root / "out" / "run").read_text().strip().endswith("-noop-series")
