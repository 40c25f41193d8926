"""What of a cluster's owner may never stand on the page, with literal strings; and the page itself."""

from __future__ import annotations

import getpass
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from shardload.verbs.acceptance import page, redact, verb
from shardload.verbs.acceptance.model import FAILED, NOT_APPLICABLE, NOT_RUN, PASSED, Check, Result, Scene
from tests.fakes.fake_caller import CLEAN, leave, scene

SECTION = {
    "url": "postgresql+db://pg-a.corp.example:5432,[2001:db8::7]:5433/orders",
    "user": "tester",
    "password-env": "MINE_PASSWORD",
    "hosts": [{"host": "node7", "role": "shard"}],
    "metrics": {"url": "https://metrics.corp.example:8428", "token-env": "METRICS_TOKEN"},
}
SECRETS = {
    "MINE_PASSWORD": "hunter2",
    "METRICS_TOKEN": "tok/en+1",
    "SHARDLOAD_GRAFANA_TOKEN": "glsa_x",
    "HOME": "/home/ann",
}
# Found at run time alone: members of a replica set, a worker of Citus.
ENVIRONMENT: dict[str, Any] = {
    "server_name": {"name": "PostgreSQL"},
    "client": {"hosts": "mongo-3.internal:27017"},
    "connections_opened": {"rs0-b:27018": 4},
    "server": {
        "machines": [{"host": "shardbox"}],
        "placement": [{"shard": "citus-w2:5432", "documents_share": 0.5}],
        "topology": {"shards": 2, "members": 6, "routers": 1},
    },
    "generator": {"java": "OpenJDK 17.0.15", "os": "Linux 6.18"},
    "target": {"host": "10.4.5.6"},
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Return a scene after a run whose bundle names machines."""
    found = {"pg-a.corp.example": ["10.9.8.7", "fd00::42"]}
    monkeypatch.setattr(redact, "addresses_of", lambda name: found.get(name, []))
    monkeypatch.setattr("socket.gethostname", lambda: "loadbox")
    url = "https://jenkins.corp.example/ci"
    made = scene(tmp_path / "checkout", section=SECTION, environment=SECRETS, jenkins=url)
    made.target = "prod-eu"
    files = {"environment.json": ENVIRONMENT, "verification.json": CLEAN}
    made.bundle = leave(made.places.runs / "20260101-000000-mine-smoke", files)
    made.runs = [made.bundle.name]
    return made


@pytest.fixture
def hide(house: Scene) -> redact.Redactor:
    return redact.of_scene(house, verb._SECRETS)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "pg-a.corp.example",
            "PG-A",
            "pg-a:5432",
            "2001:db8::7",
            "node7",
            "metrics",
            "jenkins",
            "10.9.8.7",
            "fd00::42",
        ),
        *(
            "tester",
            "hunter2",
            "xxhunter2xx",
            "tok/en+1",
            "glsa_x",
            "orders",
            "/home/ann/.pgpass",
            "/home/ann",
            "~/.pgpass",
        ),
        *("mongo-3.internal", "mongo-3", "rs0-b", "rs0-b:27018", "shardbox", "citus-w2", "10.4.5.6"),
        *("prod-eu", "taurus/targets/prod-eu.yml", "taurus/targets/other-eu.yml", "20261122-220536-prod-eu-smoke"),
        # Nobody has heard of these: they look like what they are.
        *(
            "192.168.7.8",
            "192.168.7.8:5432",
            "fe80::1ff:fe23:4567:890a",
            "db9.example.com",
            "db9:27017",
            "ann@corp.example",
        ),
        *("mongodb+srv://u:p@h/x?y=1", "/var/lib/pg/data", "C.corp.example", "dbServer.Prod", "::1"),
        *("loadbox", getpass.getuser()),
    ],
)
def test_nothing_of_the_house_is_left(hide: redact.Redactor, text: str) -> None:
    for around in ("{}", "error: '{}': refused", 'could not connect to server "{}" (code 3)', "({})", "{}, and more"):
        assert text.lower() not in hide(around.format(text)).lower()


def test_the_port_goes_with_its_host(hide: redact.Redactor) -> None:
    assert hide("pg-a:5432 io, [2001:db8::7]:5433 io, node7:15432") == "<host> io, <host> io, <host>"


@pytest.mark.parametrize(
    "text",
    [
        "code 1: -o schema.index: unknown value; known are hash, btree",
        "PostgreSQL 15.20, Citus 12.1.12",
        "verification: clean, 0 wrong of 2,050 documents",
        "99.9/s of 100.0/s, p99 4.0 ms",
        "find-by-id-and-filter4-list: index data_table_filter4 (one shard)",
        "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1",
        "Linux 6.18.44-fc-v669",
        "java.net.ConnectException and summary.json",
        "GRANT pg_monitor TO the role",
        "git-client 6.6.1 instead of 698.v1234_5",
        "a shardload run on embedded-postgresql",
    ],
)
def test_what_a_reader_needs_is_left(hide: redact.Redactor, text: str) -> None:
    assert hide(text) == text


def result(name: str, status: str, why: str) -> Result:
    return Result(Check(name, f"{name} holds", lambda _: ""), status, why, 1.2)


def test_the_page_says_how_each_check_ended(tmp_path: Path) -> None:
    results = [
        result("one", PASSED, "fine"),
        result("two", FAILED, 'server "db1" said <b>no</b>'),
        result("three", NOT_RUN, "interrupted"),
        result("four", NOT_APPLICABLE, "no --jenkins was given"),
    ]
    file = tmp_path / "a.html"
    page.write(file, {"server": "PostgreSQL <18>"}, results, lambda text: text.replace("db1", "<host>"), 3)
    text = file.read_text()
    assert "server &quot;&lt;host&gt;&quot; said &lt;b&gt;no&lt;/b&gt;" in text
    assert "PostgreSQL &lt;18&gt;" in text
    assert "1 failed, 1 not run, 1 passed, 1 not applicable; exit code 3" in text
    assert text.index("<h2>Not applicable</h2>") < text.index("no --jenkins was given")
    assert "<script" not in text
    assert "http" not in text
    told = json.loads((tmp_path / "a.json").read_text())
    assert told["exit"] == 3
    assert [(each["name"], each["status"]) for each in told["checks"]][1] == ("two", "failed")
    assert told["checks"][1]["why"] == 'server "<host>" said <b>no</b>'
    assert page.counts(results) == "1 failed, 1 not run, 1 passed, 1 not applicable"


def test_a_whole_page_holds_nothing_of_the_house(house: Scene, hide: redact.Redactor, tmp_path: Path) -> None:
    assert house.bundle
    why = f"{house.runs[0]}: hunter2@pg-a.corp.example: rs0-b and citus-w2:5432 refuse tester: /home/ann/x {tmp_path}"
    file = tmp_path / "page.html"
    page.write(file, verb.facts_of(house), [result("one", FAILED, why)], hide, 3)
    names = ("hunter2", "corp", "pg-a", "rs0-b", "citus-w2", "tester", "/home/ann", str(tmp_path), "shardbox")
    for written in (file, file.with_suffix(".json")):
        text = written.read_text()
        assert [name for name in names if name in text] == []
        assert "2 shards, 6 members, 1 routers" in text
        assert "OpenJDK 17.0.15" in text
        assert datetime.now(timezone.utc).strftime("%Y-%m-") in text
