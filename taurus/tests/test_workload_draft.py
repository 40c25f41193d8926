"""``workload init --from-database`` as a user calls it; the fake child in place of Java describes two tables."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.conftest import Checkout, leftovers

URL = "postgresql://db1.example:5432/shop"
INIT = ("workload", "init", "new/copy", "--from-database", URL)
WORKLOAD = """\
workload:
  name: copy
  seed: 1
  data:
    tables:
      shop:
        rows: 10
        entity: {key: id, changes: [sum]}
        columns:
          id: {type: sequential}
          sum: {type: decimal, min: 0, max: 1.5, scale: 2}
      visit:
        rows: 0
        columns:
          at: {type: timestamp, from: '2025-01-01T00:00:00Z'}
  parameters:
    shop_of_row: {type: reference, table: shop, column: id}
  transactions:
    read-shop: {entity: read, rows: one}
    insert-visit: {rows: one}
scenarios:
  mix:
    mix:
      read-shop: 66.67
      insert-visit: 33.33
"""


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_folder_has_what_the_child_found(checkout: Checkout) -> None:
    """Mutation: ask without --user."""
    code, output = checkout.run(*INIT, "--user", "reader", "-o", "target.password-env=")
    assert code == 0, output
    found = texts(checkout.root / "new" / "copy")
    head = [line for line in found["workload.yml"].splitlines() if line.startswith("#")]
    assert found.pop("workload.yml") == "\n".join([*head, WORKLOAD])
    assert found == {"schema/fake.sql": "CREATE", "transactions/read-shop/fake.sql": "SELECT"}
    (request,) = checkout.requests
    target = request["config"]["target"]
    assert (request["verb"], target["url"], target["user"]) == ("workload-draft", URL, "reader")
    assert output.splitlines()[-5:] == [
        "2 tables, 2 transactions; every row of shop is verified",
        "  edit: table visit: 1 triggers are left out",
        "new/copy has a workload for postgresql; docs/own-workload.md explains each key. Next:",
        "  ./shardload workload check new/copy --preview 5",
        "  ./shardload run --workload new/copy",
    ]
    code, output = checkout.run(*INIT)
    assert (code, output) == (1, "shardload: new/copy: exists, and is not an empty folder; nothing was written\n")


def test_an_empty_folder_is_filled(checkout: Checkout) -> None:
    (checkout.root / "new" / "copy").mkdir(parents=True)
    code, output = checkout.run(*INIT)
    assert code == 0, output
    assert "workload.yml" in texts(checkout.root / "new" / "copy")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--from-database", "shop"],
            "--from-database: is not a URL that begins with the name of a target; --target names one: citus, ",
        ),
        (
            ["--from-database", "postgresql://me:secret@db1/shop"],
            "--from-database target.url: a user or password in a URL would appear in logs; write target.user",
        ),
        (["--from-database", URL, "--system", "postgresql"], "--system: not together with --from-database"),
        (["--user", "reader"], "--user: only together with --from-database"),
        (["--from-database", URL, "-o", "target.usr=x"], "-o target.usr: unknown key"),
    ],
)
def test_wrong_use_is_one_line_and_leaves_nothing(arguments: list[str], message: str, checkout: Checkout) -> None:
    code, output = checkout.run("workload", "init", "copy", *arguments)
    assert code == 1 and output.startswith(f"shardload: {message}"), output
    assert len(output.splitlines()) == 1 and "secret" not in output
    assert leftovers(checkout) == []


def test_what_the_server_refuses_leaves_nothing(checkout: Checkout) -> None:
    code, output = checkout.run(*INIT, FAKE_CHILD="workload-draft-error")
    assert code == 1 and output.startswith("shardload: workload-draft does not work"), output
    assert leftovers(checkout) == []


def test_an_interrupted_call_leaves_nothing(checkout: Checkout) -> None:
    """Mutation: write the files into the folder itself, before the answer."""
    process = checkout.start(*INIT, FAKE_CHILD="slow-draft")
    checkout.wait_for_requests("workload-draft")
    process.send_signal(signal.SIGINT)
    code, output = checkout.end_of(process)
    assert code == 2 and "workload was interrupted" in output, output
    assert leftovers(checkout) == []
