"""What looks like a secret is refused wherever it stands, before anything is written; no message shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardload.cli import main
from shardload.config.problem import Problem
from shardload.config.secrets import refuse_in_options
from tests.conftest import Checkout, leftovers

PLANTED = "geheim"
IN_ENV = "secrets would reach files; set the environment variable in the shell instead"
IN_FILES = "secrets are not allowed in files or overrides"
IN_URL = "a user or password in a URL"


def traces(folder: Path) -> list[str]:
    """Return the files below a folder that hold the planted secret."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and PLANTED.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("settings.env.SHARDLOAD_PG_PASSWORD=geheim", "-o settings.env.SHARDLOAD_PG_PASSWORD: " + IN_FILES),
        ("settings.env.HARMLESS=geheim", "-o settings.env.HARMLESS: " + IN_ENV),
        ("settings={env: {HARMLESS: geheim}}", "-o settings: settings.env: " + IN_ENV),
        ("target.password=geheim", "-o target.password: " + IN_FILES),
        ("target.options.sslPassphrase=geheim", "-o target.options.sslPassphrase: " + IN_FILES),
        ("target={driver: noop, options: {api-key: geheim}}", "-o target: target.options.api-key: " + IN_FILES),
        ("workload.data.token=geheim", "-o workload.data.token: " + IN_FILES),
        ("no-section.client_secret=geheim", "-o no-section.client_secret: " + IN_FILES),
        ("target.url=postgresql://me:geheim@host/db", "-o target.url: " + IN_URL),
        ("target.url=postgresql://me:ge/geheim@host/db", "-o target.url: " + IN_URL),
        (
            "target.url=postgresql://host/db?sslpassword=geheim",
            "-o target.url: a secret or user in the query of a URL",
        ),
        ("target.url=me:geheim@host", "-o target.url: " + IN_URL),
        ("target.redis.url=redis://:geheim@host", "-o target.redis.url: " + IN_URL),
        ("target.options.application-name=http://me:geheim@host", "-o target.options.application-name: " + IN_URL),
        (
            "target.password-env=geheim!",
            "-o target.password-env: must be the name of an environment variable; leave it out",
        ),
        (
            "target.options.ssl-key-password-env=geheim!",
            "-o target.options.ssl-key-password-env: must be the name of an environment variable; leave it out",
        ),
        ("workload.data.my-token-env=geheim", "-o workload.data.my-token-env: " + IN_FILES),
        ("target.password:geheim", "-o target.password: an override has the form key=value"),
        ("target.driver.name.more=geheim", "-o target.driver.name.more: "),
    ],
)
@pytest.mark.parametrize("verb", ["run", "load"])
def test_a_secret_in_an_override_is_one_line_without_it(
    option: str, message: str, verb: str, checkout: Checkout, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Mutation: print an override as it was given."""
    monkeypatch.setenv("SHARDLOAD_ROOT", str(checkout.root))
    monkeypatch.chdir(checkout.root)
    assert main([verb, "--target", "noop", "-o", option]) == 1
    output = "".join(capfd.readouterr())
    assert output.startswith(f"shardload: {message}") and len(output.splitlines()) == 1, output
    assert PLANTED not in output
    assert leftovers(checkout) == []


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "target.metrics.token=geheim",
            "secrets are not allowed in files or overrides; set an environment variable and name it in "
            "target.metrics.token-env",
        ),
        (
            "target.metrics.password=geheim",
            "secrets are not allowed in files or overrides; set an environment variable and name it in "
            "target.metrics.password-env",
        ),
        (
            "target.url=postgresql://u:geheim@h/x",
            "a user or password in a URL would appear in logs; write target.user and target.password-env instead",
        ),
        (
            "target.metrics.url=http://u:geheim@h",
            "a user or password in a URL would appear in logs; write target.metrics.user and "
            "target.metrics.password-env instead",
        ),
        (
            "target.redis.url=redis://:geheim@h",
            "a user or password in a URL would appear in logs; write target.redis.password-env instead",
        ),
        (
            "target.metrics.url=http://h/?token=geheim",
            "a secret or user in the query of a URL would appear in logs; write target.metrics.user and "
            "target.metrics.password-env instead",
        ),
    ],
)
def test_the_key_that_takes_its_place_is_named(option: str, message: str) -> None:
    with pytest.raises(Problem) as problem:
        refuse_in_options("-o", [option])
    assert str(problem.value) == f"-o {option.partition('=')[0]}: {message}"


def test_a_varied_secret_is_refused_before_the_series_begins(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHARDLOAD_ROOT", str(checkout.root))
    assert main(["run", "--target", "noop", "--vary", "target.password=geheim,geheim2"]) == 1
    output = "".join(capfd.readouterr())
    assert output.startswith(f"shardload: --vary target.password: {IN_FILES}") and PLANTED not in output


def test_a_transaction_may_be_named_after_a_token(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its share is not a secret; that there is no such transaction is for the child to say."""
    monkeypatch.setenv("SHARDLOAD_ROOT", str(checkout.root))
    code, output = checkout.run(
        "run", "-t", "noop", *checkout.options(), "-o", "scenarios.other.mix={find-by-token: 100}",
        "-o", "target.password-env=SHARDLOAD_PG_PASSWORD", "-o", "target.options.ssl-key-password-env=KEY_PASSWORD",
    )  # fmt: skip
    assert "secret" not in output and code != 1, output


@pytest.mark.parametrize("place", ["target", "profile"])
@pytest.mark.parametrize("plain_bzt", [False, True])
def test_settings_env_in_a_file_is_refused(checkout: Checkout, place: str, plain_bzt: bool) -> None:
    name = {"target": "targets/noop.yml", "profile": "profiles/smoke.yml"}[place]
    path = checkout.root / "taurus" / name
    path.write_text(path.read_text() + "\nsettings: {env: {HARMLESS: geheim}}\n")
    arguments = checkout.files() if plain_bzt else ["run", "-t", "noop"]
    code, output = checkout.run(*arguments, plain_bzt=plain_bzt)
    assert code == 1
    assert f"taurus/{name}: settings.env: {IN_ENV}" in output
    path.unlink()
    assert traces(checkout.root) == []


def test_plain_bzt_leaves_no_secret_of_an_override_behind(checkout: Checkout) -> None:
    code, output = checkout.run(
        *checkout.files(), "-o", "target.password=geheim", "-o", "^target.password=", plain_bzt=True
    )
    assert code == 1 and f"-o target.password: {IN_FILES}" in output
    assert PLANTED not in output
    assert traces(checkout.root.parent) == []


def test_plain_bzt_refuses_variables_of_the_personal_configuration(checkout: Checkout) -> None:
    home = Path(checkout.environment["HOME"])
    (home / ".bzt-rc").write_text("settings: {env: {HARMLESS: geheim}}\n")
    code, output = checkout.run(*checkout.files(), *checkout.options(), plain_bzt=True)
    assert code == 1 and f"settings.env: {IN_ENV}" in output
    assert leftovers(checkout) == []
