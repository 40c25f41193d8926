"""The verbs that take a bundle elsewhere: publish and export."""

from __future__ import annotations

import io
import json
import signal
import sys
from pathlib import Path

import pytest

from shardload.config.places import Places
from shardload.terminal import Terminal
from shardload.verbs.export import _to_stdout
from tests.conftest import Checkout

LOCAL = "http://127.0.0.1:8428"
PUBLISHED = "shows 1,234 operations, the same as the ledger (10 series, 20 samples)"


def bundle(checkout: Checkout, name: str, **run: object) -> Path:
    folder = checkout.root / "runs" / name
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def target(checkout: Checkout, name: str, metrics: str) -> None:
    text = f"target: {{driver: noop, metrics: {{{metrics}}}}}\n"
    (checkout.root / "taurus" / "targets" / f"{name}.yml").write_text(text)


def test_a_run_is_published_where_its_target_says(checkout: Checkout) -> None:
    store = {"url": "https://store.example", "user": "reader", "password_env": "STORE_PASSWORD"}
    one = bundle(checkout, "one", store=store, target={"name": "ours"})
    keys = "url: https://store.example, user: reader, password-env: STORE_PASSWORD"
    target(checkout, "ours", keys)
    bundle(checkout, "two")
    code, output = checkout.run("publish", "one", "two", STORE_PASSWORD="geheim")
    assert code == 0, output
    assert output.splitlines() == [
        f"1 of 2  one: https://store.example {PUBLISHED}",
        f"2 of 2  two: http://127.0.0.1:8428 {PUBLISHED}",
    ]
    first, second = checkout.requests
    assert {key: first[key] for key in store} == store and first["directory"] == str(one)
    assert not {"user", "password_env", "token_env"} & set(second)
    assert "geheim" not in json.dumps(checkout.requests)


@pytest.mark.parametrize(
    "keys",
    [
        "",
        "url: https://store.example",
        "url: https://other.example, token-env: STORE_TOKEN",
        "url: https://store.example, token-env: OTHER",
    ],
)
def test_a_bundle_does_not_choose_which_secret_goes_where(checkout: Checkout, keys: str) -> None:
    """Mutation: send what the bundle names."""
    store = {"url": "https://store.example", "token_env": "STORE_TOKEN"}
    bundle(checkout, "one", store=store, target={"name": "ours"})
    target(checkout, "ours", keys)
    code, output = checkout.run("publish", "one", STORE_TOKEN="geheim")
    assert code == 1
    assert output.endswith(
        "its run.json names the store https://store.example with the secret in STORE_TOKEN, but the target file "
        "on this machine does not; --url https://store.example --token-env STORE_TOKEN allows it\n"
    ), output
    assert not (checkout.pids / "requests").exists()
    consent = ("--url", "https://store.example", "--token-env", "STORE_TOKEN")
    code, output = checkout.run("publish", "one", *consent, STORE_TOKEN="geheim")
    assert (code, output) == (0, f"one: https://store.example {PUBLISHED}\n")
    assert {key: checkout.requests[0][key] for key in store} == store


def test_a_bundle_does_not_choose_an_address_either(checkout: Checkout) -> None:
    """Mutation: ask the bundle's address if it names no secret, or with the secret of the options."""
    bundle(checkout, "one", store={"url": "https://store.example"}, target={"name": "ours"})
    target(checkout, "ours", "url: https://other.example")
    for options in ([], ["--token-env", "STORE_TOKEN"]):
        code, output = checkout.run("publish", "one", *options, STORE_TOKEN="geheim")
        assert code == 1 and "its run.json names the store https://store.example" in output, output
        consent = " ".join(["--url https://store.example", *options])
        assert output.endswith(f"but the target file on this machine does not; {consent} allows it\n"), output
    assert not (checkout.pids / "requests").exists()
    target(checkout, "ours", "url: https://store.example, token-env: OTHER")
    code, output = checkout.run("publish", "one", "--token-env", "STORE_TOKEN", STORE_TOKEN="geheim")
    assert (code, output) == (0, f"one: https://store.example {PUBLISHED}\n")
    (asked,) = checkout.requests
    assert asked["token_env"] == "STORE_TOKEN"


@pytest.mark.parametrize("name", ["../../elsewhere", "..", 7])
def test_a_series_names_no_path(checkout: Checkout, name: object) -> None:
    """Mutation: join the name to the folder of runs."""
    folder = checkout.root / "runs" / "series"
    folder.mkdir(parents=True)
    (folder / "series.json").write_text(json.dumps({"runs": [{"bundle": name, "number": 1}], "sides": []}))
    for verb in ("publish", "compare"):
        code, output = checkout.run(verb, "series")
        assert (code, output) == (
            1,
            f'shardload: the series names the bundle "{name}", which is not a name in the folder of runs\n',
        )


def test_a_bundle_does_not_bring_its_own_target_file(checkout: Checkout) -> None:
    """Mutation: look for the file where the name of the bundle's target leads."""
    store = {"url": "https://store.example", "token_env": "STORE_TOKEN"}
    folder = bundle(checkout, "one", store=store, target={"name": str(checkout.root / "runs" / "one" / "mine.yml")})
    (folder / "mine.yml").write_text("target:\n  metrics: {url: https://store.example, token-env: STORE_TOKEN}\n")
    code, output = checkout.run("publish", "one", STORE_TOKEN="geheim")
    assert code == 1 and "but the target file on this machine does not" in output, output
    assert not (checkout.pids / "requests").exists()


def test_another_address_gets_no_credentials_of_the_target(checkout: Checkout) -> None:
    bundle(checkout, "one", store={"url": "https://store.example", "token_env": "STORE_TOKEN"})
    code, output = checkout.run("publish", "one", "--url", "http://127.0.0.1:1")
    assert (code, output) == (0, f"one: http://127.0.0.1:1 {PUBLISHED}\n")
    assert "token_env" not in checkout.requests[0]


def test_a_series_stands_for_its_runs_and_one_that_fails_does_not_stop_the_others(checkout: Checkout) -> None:
    for name in ("one", "broken", "three"):
        bundle(checkout, name)
    series = checkout.root / "runs" / "series"
    series.mkdir()
    runs = [{"bundle": "one"}, {"bundle": "broken"}, {"bundle": None}, {"bundle": "three"}]
    (series / "series.json").write_text(json.dumps({"runs": runs, "sides": []}))
    code, output = checkout.run("publish", "series", "one")
    assert code == 1, output
    assert output.splitlines() == [
        f"1 of 3  one: http://127.0.0.1:8428 {PUBLISHED}",
        "2 of 3  broken: not published: it is broken",
        f"3 of 3  three: http://127.0.0.1:8428 {PUBLISHED}",
    ]


def test_a_run_whose_store_is_wrong_or_that_is_gone_does_not_stop_the_others(checkout: Checkout) -> None:
    store = {"url": "https://store.example", "token_env": "NO_SUCH"}
    bundle(checkout, "one", store=store, target={"name": "ours"})
    target(checkout, "ours", "url: https://store.example, token-env: NO_SUCH")
    bundle(checkout, "three")
    (bundle(checkout, "damaged") / "run.json").write_text("{")
    series = checkout.root / "runs" / "series"
    series.mkdir()
    runs = [{"bundle": name} for name in ("one", "gone", "damaged", "three")]
    (series / "series.json").write_text(json.dumps({"runs": runs, "sides": []}))
    code, output = checkout.run("publish", "series")
    first, second, third, fourth = output.splitlines()
    assert code == 1
    assert first == (
        "1 of 4  one: not published: run.json: store.token-env: the environment variable NO_SUCH is not set"
    )
    assert second == "2 of 4  gone: not published: the series names this run, which does not exist"
    assert third.startswith("3 of 4  damaged: not published: ") and "run.json is damaged" in third
    assert fourth == f"4 of 4  three: http://127.0.0.1:8428 {PUBLISHED}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_says_that_the_store_may_have_a_part(checkout: Checkout, number: signal.Signals) -> None:
    bundle(checkout, "one")
    bundle(checkout, "two")
    process = checkout.start("publish", "one", "two", FAKE_CHILD="slow-publish")
    checkout.wait_for_requests("publish")
    process.send_signal(number)
    message = "1 of 2  one: interrupted; publish it again, the store may have a part of it\n"
    assert checkout.end_of(process) == (2, message)
    assert len(checkout.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["own"], 'unknown run "own"; did you mean "one"?'),
        (["one", "--url", "http://127.0.0.1:0"], '--url: "http://127.0.0.1:0" is not an address of a store'),
        (["one", "--url", "http://u:geheim@store"], "--url: a user or password in a URL would appear in logs; "),
        (["one", "--url", "http://u:12/geheim@store"], "--url: a user or password in a URL would appear in logs; "),
        (
            ["one", "--url", LOCAL, "--token-env", "NO_SUCH"],
            "--token-env: the environment variable NO_SUCH is not set",
        ),
        (
            ["one", "--token-env", "HOME", "--url", "http://192.0.2.1:8428"],
            "--token-env: the secret would be sent to 192.0.2.1 in clear text; use https",
        ),
    ],
)
def test_what_publish_refuses(checkout: Checkout, arguments: list[str], message: str) -> None:
    bundle(checkout, "one")
    code, output = checkout.run("publish", *arguments)
    assert code == 1 and output.startswith(f"shardload: {message}") and len(output.splitlines()) == 1, output
    assert "geheim" not in output
    assert not (checkout.pids / "requests").exists()


def test_a_token_may_go_to_ipv6_loopback(checkout: Checkout) -> None:
    bundle(checkout, "one")
    code, output = checkout.run(
        "publish", "one", "--url", "http://[::1]:8428", "--token-env", "STORE_TOKEN", STORE_TOKEN="x"
    )
    assert (code, output) == (0, f"one: http://[::1]:8428 {PUBLISHED}\n")


def test_an_address_of_the_bundle_is_named_as_such(checkout: Checkout) -> None:
    bundle(checkout, "one", store={"url": "https://store.example/?token=geheim"})
    code, output = checkout.run("publish", "one")
    assert code == 1 and output.endswith("run.json: store.url: must end with the path, before /api/v1/query\n"), output
    assert "geheim" not in output


@pytest.mark.parametrize(("kind", "name"), [("json", "one.json"), ("openmetrics", "one.om"), ("csv", "one-csv")])
def test_an_export_lies_in_the_current_folder_and_is_not_replaced(checkout: Checkout, kind: str, name: str) -> None:
    bundle(checkout, "one")
    wrote = f"{name}/seconds.csv" if kind == "csv" else name
    assert checkout.run("export", "one", "--format", kind) == (0, f"wrote {wrote} (1 kB)\n")
    message = f"shardload: {name} exists already; --force replaces it\n"
    assert checkout.run("export", "one", "--format", kind) == (1, message)
    code, output = checkout.run("export", "one", "--format", kind, "--force", "--output", name)
    assert code == 0, output
    assert (checkout.root / wrote).read_text() == kind


def test_standard_output_has_nothing_but_the_export(checkout: Checkout) -> None:
    bundle(checkout, "one")
    assert checkout.run("export", "one", "--format", "json", "--output", "-") == (0, "json")


@pytest.mark.parametrize(("is_terminal", "shown"), [(True, "a\ufffd[2Jb\ufffdé\n"), (False, "a\x1b[2Jb\u202eé\n")])
def test_only_a_terminal_is_spared_what_controls_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool, shown: str
) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(stdout, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stdout", stdout)

    def write(bundle: Path, kind: str, target: Path, places: object, terminal: object) -> list[Path]:
        target.write_text("a\x1b[2Jb\u202eé\n", encoding="utf-8")
        return [target]

    monkeypatch.setattr("shardload.verbs.export._write", write)
    assert _to_stdout(tmp_path, "json", Places(tmp_path), Terminal()) == 0
    stdout.flush()
    assert stdout.buffer.getvalue().decode() == shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one", "--format", "jason"], 'unknown format "jason"; did you mean "json"?'),
        (["own", "--format", "json"], 'unknown run "own"; did you mean "one"?'),
        (["series", "--format", "json"], "series is a series; export takes one run"),
        (["one", "--format", "csv", "--output", "-"], "--output: csv is a folder of three files; name it"),
        (["one", "--format", "json", "--output", "runs"], "--output: runs is a folder; json is one file"),
        (["one", "--format", "csv", "--output", "file"], "--output: file is a file; csv needs a folder"),
        (["one", "--format", "json", "--output", "no/x"], "--output: there is no folder no"),
        (["broken", "--format", "json"], "it is broken"),
    ],
)
def test_what_export_refuses(checkout: Checkout, arguments: list[str], message: str) -> None:
    bundle(checkout, "one")
    bundle(checkout, "broken")
    (checkout.root / "runs" / "series").mkdir()
    (checkout.root / "runs" / "series" / "series.json").write_text("{}")
    (checkout.root / "file").touch()
    assert checkout.run("export", *arguments) == (1, f"shardload: {message}\n")


@pytest.mark.parametrize("verb", ["publish", "export"])
def test_the_help_has_examples(checkout: Checkout, verb: str) -> None:
    code, output = checkout.run(verb, "--help")
    assert code == 0 and f"  shardload {verb} 20261121-060102-citus-steady" in output
