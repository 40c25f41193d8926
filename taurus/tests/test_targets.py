"""What "targets" shows of the files and of what the Java child answers about them."""

from __future__ import annotations

import pytest

from tests.conftest import Checkout


def rows(output: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()) for line in output.splitlines()}


def test_the_list_names_driver_origin_and_answer(checkout: Checkout) -> None:
    targets = checkout.root / "taurus" / "targets"
    (targets / "broken.yml").write_text("target: [1\n")
    (targets / "mine.yml").write_text("target: {driver: postgresql, url: 'postgresql://db1.example:5432/db'}\n")
    code, output = checkout.run("targets", "--timeout", "7")
    assert code == 0, output
    shown = rows(output)
    assert shown["mine"] == "mine postgresql postgresql://db1.example:5432/db yes taurus/targets/mine.yml"
    assert shown["embedded-postgresql"] == (
        "embedded-postgresql postgresql built in: postgresql started when needed taurus/targets/embedded-postgresql.yml"
    )
    assert shown["broken"].startswith("broken ? - taurus/targets/broken.yml is not valid YAML")
    (request,) = checkout.requests
    assert request["timeout_seconds"] == 7
    assert request["targets"]["noop"]["driver"] == "noop"
    assert "broken" not in request["targets"]


def test_a_password_in_a_url_is_not_shown(checkout: Checkout) -> None:
    url = "postgresql://tester:top@secret@db1.example:5432/db"
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(f"target: {{driver: postgresql, url: '{url}'}}\n")
    code, output = checkout.run("targets")
    assert code == 0, output
    assert "postgresql://...@db1.example:5432/db" in rows(output)["mine"]
    assert "top" not in output.replace("stop", "")
    assert "secret" not in output


def test_a_target_that_is_no_section_is_not_shown(checkout: Checkout) -> None:
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(
        "target: postgresql://tester:secret@db1.example/db\n"
    )
    code, output = checkout.run("targets")
    assert code == 0, output
    assert "target: is not a section with driver and url" in rows(output)["mine"]
    assert "secret" not in output


def test_the_target_says_how_much_memory_its_embedded_server_takes(checkout: Checkout) -> None:
    target = checkout.root / "taurus" / "targets" / "mine.yml"
    target.write_text("target: {driver: mongodb, embedded: mongodb, embedded-heap: 96m}\n")
    assert checkout.run("schema", "--target", "mine")[0] == 0
    (heap,) = (checkout.pids / "heaps").read_text().split()
    assert heap == "-Xmx96m"
    assert all("embedded-heap" not in request["config"]["target"] for request in checkout.requests)


def add(checkout: Checkout, name: str, section: str) -> None:
    (checkout.root / "taurus" / "targets" / f"{name}.yml").write_text(f"target: {section}\n")


def test_only_named_targets_are_asked(checkout: Checkout) -> None:
    code, output = checkout.run("targets", "noop", "", "citus", "noop")
    assert code == 0, output
    assert list(rows(output)) == ["target", "noop", "citus"]
    assert list(checkout.requests[0]["targets"]) == ["noop", "citus"]


def test_a_check_names_everything_that_does_not_answer(checkout: Checkout) -> None:
    add(checkout, "good", "{driver: postgresql, url: 'postgresql://db1/db', redis: {url: 'rediss://r1:6379'}}")
    assert checkout.run("targets", "good", "--check", "--load-hosts", "h1,h2:2099")[0] == 0
    asked = checkout.requests[-1]
    assert asked["verb"] == "load-hosts"
    assert (asked["list"], asked["redis_url"]) == (["h1", "h2:2099"], "rediss://r1:6379")
    add(
        checkout,
        "bad",
        "{driver: postgresql, url: 'postgresql://down/db', load-hosts: [h1, lost], redis: {url: 'redis://lost:1'}}",
    )
    (checkout.root / "taurus" / "targets" / "broken.yml").write_text("target: [1\n")
    add(checkout, "odd", "{driver: noop, load-hosts: ['a b']}")
    code, output = checkout.run("targets", "bad", "good", "broken", "odd", "--check")
    assert code == 1
    assert [line for line in output.splitlines() if line.startswith("shardload: ")] == [
        "shardload: bad: no, it is down",
        "shardload: bad: load host lost: connection refused",
        "shardload: bad: target.redis: no answer",
        "shardload: broken: taurus/targets/broken.yml is not valid YAML: expected ',' or ']', but got '<stream end>' "
        "(line 2)",
        'shardload: odd: target.load-hosts: "a b" is not a load host; write host or host:port',
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lock"], "--lock: name one target or more, as in shardload targets NAME --lock"),
        (["", "--check"], "--check: name one target or more, as in shardload targets NAME --check"),
        (["citus", "--timeout", "0"], '--timeout: "0" is not a time; write a number of seconds above 0'),
        (["citus", "--timeout", "nan"], '--timeout: "nan" is not a time; write a number of seconds above 0'),
        (["citus", "--load-hosts", "h1"], "--load-hosts: only together with --check or --lock"),
        (["citus", "--lock", "--load-hosts", "u:geheim@h1"], "--load-hosts: takes hosts and ports only; a user or pa"),
        (["broken", "--lock"], "taurus/targets/broken.yml is not valid YAML"),
        (["odd", "--lock"], "odd: target.url: is not a URL with a host"),
        (["odd", "--credentials"], "odd: target.password-env: must be the name of an environment variable"),
    ],
)
def test_what_targets_refuses(checkout: Checkout, words: list[str], message: str) -> None:
    (checkout.root / "taurus" / "targets" / "broken.yml").write_text("target: [1\n")
    add(checkout, "odd", "{driver: noop, url: geheim, password-env: 'my geheim'}")
    code, output = checkout.run("targets", *words)
    assert code == 1 and output.startswith(f"shardload: {message}") and len(output.splitlines()) == 1, output
    assert "geheim" not in output
    assert not (checkout.pids / "requests").exists()


def test_targets_together_have_one_sorted_list_of_locks(checkout: Checkout) -> None:
    for number in (7, 5, 6):
        add(checkout, f"t{number}", f"{{driver: x, url: 'x://192.0.2.9{number}/db', load-hosts: [192.0.2.95]}}")
    code, output = checkout.run("targets", "t7", "t5", "t6", "--lock")
    assert (code, output) == (0, "shardload-192.0.2.95\nshardload-192.0.2.96\nshardload-192.0.2.97\n")
    assert checkout.run("targets", "t7", "--lock", "--load-hosts", "192.0.2.9")[1].splitlines()[0] == (
        "shardload-192.0.2.9"
    )


def test_credentials_are_named_by_target_and_variable(checkout: Checkout) -> None:
    more = "redis: {url: 'rediss://r', password-env: R}, metrics: {url: 'http://m', token-env: M},"
    more += " options: {ssl-key-password-env: K}"
    add(checkout, "mine", f"{{driver: postgresql, url: 'postgresql://a/b', password-env: P, {more}}}")
    code, output = checkout.run("targets", "mine", "postgresql", "noop", "citus", "--credentials")
    assert (code, output.splitlines()) == (
        0,
        [*(f"shardload-mine-{name}" for name in "KMPR"), "shardload-postgresql-SHARDLOAD_PG_PASSWORD"],
    ), "citus names the variable of postgresql, which comes first"
    assert checkout.run("targets", "embedded-postgresql", "--credentials") == (0, "")
