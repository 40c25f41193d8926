"""The verbs about load hosts beside run: scripts that take over, and folders that are merged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shardload import __version__
from tests.conftest import Checkout
from tests.test_run_hosts import HOSTS, arguments, hosts

__all__ = ["hosts"]


@pytest.fixture
def ran(hosts: Checkout) -> Iterator[Checkout]:
    """Have a run on two hosts whose second was lost."""
    code, output = hosts.run("run", *arguments(hosts), "-o", "workload.seed=7", FAKE_HOSTS="lost:1")
    assert code == 5, output
    yield hosts


@pytest.mark.parametrize("verb", ["generator", "keys"])
@pytest.mark.parametrize("given", [["--help"], [], ["--address", "10.9.0.2", "--", "-x y"]])
def test_a_script_takes_over_with_all_its_arguments(checkout: Checkout, verb: str, given: list[str]) -> None:
    script = checkout.root / ".shardload" / "jmeter" / "bin" / verb
    script.write_text('#!/bin/sh\necho "$PWD"; echo "$#"; for one; do echo "$one"; done; exit 7\n')
    script.chmod(0o755)
    code, output = checkout.run(verb, *given)
    assert code == 7
    assert output.splitlines() == [str(checkout.root), str(len(given)), *given]


def test_a_script_that_is_not_there_is_one_line(checkout: Checkout) -> None:
    (checkout.root / ".shardload" / "jmeter" / "bin" / "keys").unlink(missing_ok=True)
    told = "shardload: cannot run .shardload/jmeter/bin/keys: No such file or directory\n"
    assert checkout.run("keys") == (1, told)


def test_the_help_lists_every_verb(checkout: Checkout) -> None:
    code, output = checkout.run("--help")
    assert code == 0
    assert all(f"\n  {verb} " in output for verb in ("generator", "keys", "package", "collect"))
    code, output = checkout.run("collect", "--help")
    assert code == 0 and "scp -r host1:shardload-" in output


@pytest.mark.parametrize(
    ("folder", "named"), [("taurus/workloads/my-shop", "my-shop"), ("/elsewhere/my-shop", "/elsewhere/my-shop")]
)
def test_collect_names_the_folder_of_the_run(ran: Checkout, folder: str, named: str) -> None:
    file = ran.bundle / "run.json"
    run = json.loads(file.read_text())
    run["workload"].update(name="shop", folder=folder)
    file.write_text(json.dumps(run))
    config = ran.bundle / "config.yml"
    lines = [line for line in config.read_text().splitlines() if not line.startswith("# --")]
    config.write_text("\n".join(lines) + "\n")  # as bundles of earlier versions
    (ran.root / "copied").mkdir()
    code, output = ran.run("collect", ran.bundle.name, "copied")
    assert code == 0, output
    (command,) = [line for line in output.splitlines() if " verify " in line]
    assert f"--workload {named} " in command + " "


def test_collect_says_what_is_missing_and_what_comes_next(ran: Checkout) -> None:
    copied = ran.root / "copied"
    copied.mkdir()
    name = ran.bundle.name
    code, output = ran.run("collect", name, "copied")
    assert code == 0, output
    assert output.splitlines() == [
        f"collected 0 ({HOSTS[0]})",
        f"still missing: 1 ({HOSTS[1]}); copy their folders of this run and collect them too",
        "verdict 5",
        f"report {ran.bundle}/report.html",
        "then settle the data set, which also writes the report again:",
        "  ./shardload verify --target noop --workload document-store -o workload.seed=7",
    ]
    (request,) = [request for request in ran.requests if request["verb"] == "collect"]
    assert (request["directory"], request["folders"]) == (str(ran.bundle), [str(copied)])
    assert ran.requests[-1]["verb"] == "finish", "the summary counts what was collected"


def test_verify_writes_the_report_of_the_run_again(ran: Checkout) -> None:
    for file in ("summary.json", "report.html"):
        (ran.bundle / file).unlink()
    code, output = ran.run("verify", "--target", "noop", FAKE_SETTLES=str(ran.bundle))
    assert code == 0, output
    assert output.splitlines()[-3:] == [
        "verification: clean, 0 wrong of 1,000 documents",
        "verdict 5",
        f"report {ran.bundle}/report.html",
    ]
    assert (ran.bundle / "summary.json").is_file()
    code, output = ran.run("verify", "--target", "noop", FAKE_SETTLES=str(ran.bundle), FAKE_CHILD="finish-error")
    assert code == 0 and output.endswith("report    not written again: finish does not work\n"), output


def test_nothing_is_missing_when_all_folders_are_there(ran: Checkout) -> None:
    for name in ("one", "two"):
        (ran.root / name).mkdir()
    code, output = ran.run("collect", str(ran.bundle), "one", "two")
    assert code == 0, output
    assert output.splitlines()[:2] == [f"collected 0 ({HOSTS[0]}), 1 ({HOSTS[1]})", "2 of 5 seconds were new"]
    assert "still missing" not in output
    code, output = ran.run("collect", str(ran.bundle), "one", "two", FAKE_CHILD="unended")
    assert f"ended without a final ledger line: 1 ({HOSTS[1]}); calls under way" in output
    assert "still missing" not in output


def test_what_collect_refuses(ran: Checkout, tmp_path: Path) -> None:
    name = ran.bundle.name
    code, output = ran.run("collect", name[:-1] + "x", str(tmp_path))
    assert (code, output) == (1, f'shardload: unknown run "{name[:-1]}x"; did you mean "{name}"?\n')
    code, output = ran.run("collect", name, "nowhere")
    assert code == 1 and output.startswith("shardload: nowhere: there is no such folder; name the one of the run")


def test_a_run_without_load_hosts_has_nothing_to_collect(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("run", "--target", "noop", *checkout.options(throughput="1000"))
    code, output = checkout.run("collect", checkout.bundle.name, str(tmp_path))
    assert code == 1 and "was not a run with load hosts" in output


def test_package_lies_where_the_user_stands(checkout: Checkout, tmp_path: Path) -> None:
    for name in ("jmx/tarball/shardload", "LICENSE", "NOTICE", "docs/load-hosts.md"):
        (checkout.root / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout.root / name).write_text("text")
    code, output = checkout.run("package")
    name = f"shardload-{__version__}.tar.gz"
    assert (code, output) == (0, f"wrote {name} (0 MB)\n")
    assert (checkout.root / name).stat().st_size
    code, output = checkout.run("package", "--output", str(tmp_path / "elsewhere.tgz"))
    assert (code, output) == (0, f"wrote {tmp_path}/elsewhere.tgz (0 MB)\n")
    code, output = checkout.run("package", "--output", str(tmp_path))
    assert code == 1 and output.startswith(f"shardload: --output {tmp_path}: is a folder")
