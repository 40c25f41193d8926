"""Files and overrides run no code but shardload's own, unless the user allows it outside of them."""

from __future__ import annotations

from pathlib import Path

import bzt
import pytest
import yaml

from shardload.config.commands import ALLOW_VARIABLE, CLASSES
from shardload.config.problem import Problem
from tests.conftest import TAURUS, Checkout, leftovers
from tests.test_check import ROOT, load

REMEDY = "allow it on the command line with --allow-commands (with plain bzt: SHARDLOAD_ALLOW_COMMANDS=1)"
SHELLEXEC = "shellexec runs commands, which can read the passwords in the environment"


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv(ALLOW_VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("services.0.module=shellexec", f"-o services.0.module: {SHELLEXEC}; {REMEDY}"),
        ("services=[shellexec]", f"-o services: services.0: {SHELLEXEC}; {REMEDY}"),
        ("services=[{module: shellexec, prepare: [id]}]", SHELLEXEC),
        (
            "modules.shardload.class=evil.Class",
            '-o modules.shardload.class: "evil.Class" would run as code; '
            f'write "shardload.bzt_modules.executor.ShardloadExecutor", or {REMEDY}',
        ),
        ("modules.local.class=bzt.modules.shellexec.ShellExecutor", "would run as code"),
        ("modules.consolidator.class=evil.Class", 'write "shardload.bzt_modules.gate.Gate"'),
        ("modules.junit-xml.class=evil.Class", 'write "bzt.modules.reporting.JUnitXMLReporter"'),
        ("modules={shardload: {class: evil.Class}}", '-o modules: modules.shardload.class: "evil.Class"'),
    ],
)
def test_commands_and_classes_need_consent(
    override: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    with pytest.raises(Problem) as raised:
        load(override)
    assert message in str(raised.value)
    monkeypatch.setenv(ALLOW_VARIABLE, "yes, please")
    with pytest.raises(Problem):
        load(override)
    monkeypatch.setenv(ALLOW_VARIABLE, "1")
    load(override)


@pytest.mark.parametrize(
    "override",
    [
        "settings.aggregator=shellexec",
        "settings.artifacts-dir=.shardload/taurus/$SHARDLOAD_PG_PASSWORD",
        "settings.artifacts-dir=.shardload/taurus/../../elsewhere",
        "settings.artifacts-dir=.shardload/taurus/..",
        "cli.linter.checkers.mine.class=evil.Class",
        "execution.0.files=[a.sh]",
        "scenarios.mix.script=a.py",
        "modules.mine.class=evil.Class",
    ],
)
def test_other_ways_stay_closed_even_with_consent(override: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOW_VARIABLE, "1")
    with pytest.raises(Problem):
        load(override)


def test_classes_are_those_of_the_base_file_and_of_taurus() -> None:
    ours = yaml.safe_load((TAURUS / "base.yml").read_text())["modules"]
    assert {name: CLASSES[name] for name in ours} == {name: settings["class"] for name, settings in ours.items()}
    base = Path(bzt.__file__).parent / "resources" / "10-base-config.yml"
    parts = [part.get("modules") or {} for part in yaml.safe_load_all(base.read_text())]
    modules = {name: settings for part in parts for name, settings in part.items()}
    others = CLASSES.keys() - ours.keys()
    assert {name: CLASSES[name] for name in others} == {name: modules[name]["class"] for name in others}
    load(*(f"modules.{name}.class={CLASSES[name]}" for name in ("junit-xml", "final-stats")))


def with_command(checkout: Checkout) -> Path:
    """Have the profile leave a mark as soon as its services are prepared, and return that mark."""
    mark = checkout.root.parent / "mark"
    profile = checkout.root / "taurus" / "profiles" / "smoke.yml"
    service = {"module": "shellexec", "prepare": [f"touch {mark}"]}
    modules = {"shellexec": {"class": CLASSES["shellexec"]}}
    profile.write_text(profile.read_text() + "\n" + yaml.safe_dump({"services": [service], "modules": modules}))
    return mark


@pytest.mark.parametrize("plain_bzt", [False, True])
def test_a_command_in_a_file_does_not_run(checkout: Checkout, plain_bzt: bool) -> None:
    """Mutation: check in the executor alone, which bzt prepares after the services."""
    mark = with_command(checkout)
    arguments = checkout.files() if plain_bzt else ["run"]
    code, output = checkout.run(*arguments, *checkout.options(), plain_bzt=plain_bzt)
    assert code == 1, output
    assert f"taurus/profiles/smoke.yml: services.0: {SHELLEXEC}; {REMEDY}" in output
    assert "Traceback" not in output
    assert not mark.exists()
    assert leftovers(checkout) == []


@pytest.mark.parametrize("plain_bzt", [False, True])
def test_an_allowed_command_runs(checkout: Checkout, plain_bzt: bool) -> None:
    mark = with_command(checkout)
    arguments = checkout.files() if plain_bzt else ["run", "--allow-commands"]
    allowed = {ALLOW_VARIABLE: "1"} if plain_bzt else {}
    code, output = checkout.run(*arguments, *checkout.options(throughput="1000"), plain_bzt=plain_bzt, **allowed)
    assert code == 0, output
    assert mark.exists()


def test_a_file_cannot_allow_itself(checkout: Checkout) -> None:
    """Mutation: check settings.env after the commands, and in the executor alone."""
    mark = with_command(checkout)
    options = ["-o", f"settings.env.{ALLOW_VARIABLE}=1"]
    code, output = checkout.run(*checkout.files(), *options, plain_bzt=True)
    assert code == 1 and f"settings.env.{ALLOW_VARIABLE}: secrets would reach files" in output, output
    assert not mark.exists()


@pytest.mark.parametrize("verb", ["schema", "load", "verify", "calibrate", "parity"])
def test_every_verb_asks_for_consent(checkout: Checkout, verb: str) -> None:
    base = checkout.root / "taurus" / "base.yml"
    base.write_text(base.read_text().replace("~services: []", "services: [shellexec]"))
    where = ["--targets", "noop,postgresql"] if verb == "parity" else ["--target", "noop"]
    code, output = checkout.run(verb, *where)
    assert code == 1 and f"taurus/base.yml: services.0: {SHELLEXEC}; {REMEDY}" in output, output
    assert SHELLEXEC not in checkout.run(verb, *where, "--allow-commands")[1]
