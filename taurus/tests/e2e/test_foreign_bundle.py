"""A bundle from elsewhere is data: reading it asks no address, reads no variable, opens no file and runs nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import RealCheckout

pytestmark = [pytest.mark.e2e, pytest.mark.long]
NAME = "20261124-010203-foreign-smoke"
SECRET = "geheim-of-the-user"
TOKEN, PASSWORD = "FOREIGN_TOKEN", "FOREIGN_PASSWORD"


class Listener:
    """Two ports that must stay silent: the kernel accepts connections, and they are counted afterwards."""

    def __init__(self) -> None:
        self._sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        for each in self._sockets:
            each.setblocking(False)
        self.ports = [each.getsockname()[1] for each in self._sockets]

    def heard(self) -> list[bytes]:
        heard = []
        for each in self._sockets:
            while True:
                try:
                    connection, _ = each.accept()
                except BlockingIOError:
                    break
                connection.settimeout(5)
                heard.append(connection.recv(4096))
                connection.close()
        return heard

    def close(self) -> None:
        for each in self._sockets:
            each.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def is_empty_pipe(pipe: Path) -> None:
    """Fail if a process waits to read the pipe: opening it for writing succeeds only with a reader."""
    with pytest.raises(OSError, match="No such device or address"):
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))


def hostile(bundle: Path, listener: Listener, outside: Path, target: str) -> None:
    """Name the listener, the user's variables, paths outside and commands wherever a bundle has such a key."""
    first, second = listener.ports
    pipe = outside / "pipe"
    run = json.loads((bundle / "run.json").read_text())
    run["run"].update({"id": NAME, "directory": str(outside), "series": "../../outside"})
    run["target"].update(
        {
            "name": target,
            "driver": "postgresql",
            "embedded": "postgresql",
            "url": f"postgresql://127.0.0.1:{first}/x",
            "user": "u",
            "password-env": PASSWORD,
            "options": {
                "ssl": "verify-full",
                "ssl-root-cert": str(pipe),
                "ssl-cert": str(pipe),
                "ssl-key": str(pipe),
                "ssl-key-password-env": PASSWORD,
            },
            "redis": {"url": f"redis://127.0.0.1:{second}", "password-env": PASSWORD},
        }
    )
    run["store"] = {"url": f"http://127.0.0.1:{first}", "token_env": TOKEN}
    run["metrics"] = {"listen": f"127.0.0.1:{second}", "directory": str(outside)}
    run["host_metrics"] = "local"
    run["server_hosts"] = [{"host": "127.0.0.1", "port": first, "role": "primary"}]
    run["hosts"] = {
        "list": [f"127.0.0.1:{second}"],
        "controller_address": "127.0.0.1",
        "key_store": str(pipe),
        "redis_url": f"redis://127.0.0.1:{second}",
        "redis_password_env": PASSWORD,
    }
    run["workload"]["folder"] = str(pipe)
    run["services"] = [{"module": "shellexec", "prepare": [f"touch {outside}/ran"]}]
    (bundle / "run.json").write_text(json.dumps(run))
    (bundle / "config.yml").write_text(
        f"# --target {outside}/own.yml\n# -o target.url=postgresql://127.0.0.1:{first}/x\n"
        f"services:\n- module: shellexec\n  prepare: [touch {outside}/ran]\n"
    )
    environment = json.loads((bundle / "environment.json").read_text())
    environment["server"] = {**environment.get("server", {}), "url": f"http://127.0.0.1:{first}"}
    (bundle / "environment.json").write_text(json.dumps(environment))
    for name in ("summary.json", "report.html", "junit.xml", "hosts.json", "verification.json"):
        (bundle / name).unlink(missing_ok=True)
        (bundle / f"{name}.part").symlink_to(outside / "precious")


def unharmed(real: RealCheckout, listener: Listener, outside: Path, output: str) -> None:
    assert listener.heard() == []
    is_empty_pipe(outside / "pipe")
    assert sorted(path.name for path in outside.iterdir()) == ["pipe", "precious"]
    assert (outside / "precious").read_text() == "precious"
    assert SECRET not in output
    told = [path for path in real.root.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert told == [], "the secret was written"


def test_no_verb_asks_what_a_bundle_names(real: RealCheckout, listener: Listener, tmp_path: Path) -> None:
    """Mutation: HostsVerb asks the store of run.json; ``collect`` checks the target of run.json."""
    outside = tmp_path / "outside"
    outside.mkdir()
    os.mkfifo(outside / "pipe")
    (outside / "precious").write_text("precious")
    code, output = real.run("run", "--target", "embedded-postgresql", *real.closed)
    assert code in (0, 5), output  # 5 on a busy machine
    own, foreign = real.latest, real.root / "runs" / NAME
    shutil.copytree(own, foreign)
    hostile(foreign, listener, outside, "noop")
    # The data set's mark of this run is lost, so that verify reads the foreign bundle.
    begun = foreign / "journal" / "begun.json"
    content: dict[str, Any] = json.loads(begun.read_text())
    begun.write_text(json.dumps({**content, "settled": False, "generation": content["generation"] + 1}))
    secrets: Any = {TOKEN: SECRET, PASSWORD: SECRET}

    def call(*words: str) -> str:
        _, output = real.run(*words, **secrets)
        unharmed(real, listener, outside, output)
        assert "Traceback" not in output and "Exception" not in output, output
        return output

    report = call("report", NAME, "--static", str(tmp_path / "static"))
    assert "verdict" in report and (foreign / "report.html").is_file(), report
    results = real.root / "kept"
    results.mkdir()
    (results / ".shardload-results").touch()
    (results / "run").write_text(f"{NAME}\n")
    for name in ("summary.json", "junit.xml"):
        (foreign / name).unlink()
    assert f"judging {NAME}" in call("results", str(results))
    assert "compare.html" in call("compare", own.name, NAME)
    assert NAME in call("history", "--runs", str(tmp_path / "history"), "--add", NAME)
    assert "wrote" in call("export", NAME, "--format", "json", "--output", str(tmp_path / "export.json"))
    address = f"http://127.0.0.1:{listener.ports[0]}"
    assert f"its run.json names the store {address}" in call("publish", NAME)
    assert f"its run.json names the store {address}" in call("publish", NAME, "--token-env", TOKEN)
    assert NAME in call("runs")
    assert f"belongs to run {own.name}" in call("collect", NAME, str(foreign))
    verified = call("verify", "--target", "embedded-postgresql", *real.small)
    assert "verification: " in verified, verified
    (foreign / "search.json").write_text(json.dumps({"runs": [{"bundle": "../outside"}]}))
    assert "not a name in the folder of runs" in call("report", NAME)
