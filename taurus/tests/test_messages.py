"""Bad inputs and the exact lines that they get, through the real entry and, where Java judges, the real child.

The tables are the files of ``messages/``. One child serves all cases; what is not refused ends before it starts a
server, and fails the test.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bzt.cli import CLI

from shardload import cli, exit_codes
from shardload.config.places import STARTED_IN
from shardload.processes.child import Child
from shardload.processes.session import Session
from tests.conftest import TAURUS

BUILT = TAURUS.parent / ".shardload"
CASES = [
    pytest.param(case, id=f"{table.stem}: {case['try']}")
    for table in sorted((TAURUS / "tests" / "messages").glob("*.yml"))
    for case in yaml.safe_load(table.read_text(encoding="utf-8"))
]


class Checkout:
    """A copy of the configuration, into which a case writes, and a child for all cases."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(TAURUS, root / "taurus", ignore=shutil.ignore_patterns("tests", "shardload", ".*"))
        (root / ".shardload").mkdir()
        for name in ("app", "jmeter"):
            if not (BUILT / name).exists():
                pytest.fail("nothing is built: run ./shardload once, or ./shardload test")
            (root / ".shardload" / name).symlink_to(BUILT / name)
        (root / "jmx").symlink_to(TAURUS.parent / "jmx")
        self.child: Child | None = None

    def write(self, case: dict[str, Any]) -> list[Path]:
        """Write the files of a case, and return them; ``edit`` makes one by replacing a text of another."""
        files = dict(case.get("files") or {})
        for name, (origin, old, new) in (case.get("edit") or {}).items():
            text = (self.root / "taurus" / origin).read_text(encoding="utf-8")
            assert old in text
            files[name] = text.replace(old, new, 1)
        for name, content in files.items():
            path = self.root / "taurus" / name
            assert not path.exists()
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return [self.root / "taurus" / name for name in files]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    made = Checkout(tmp_path_factory.mktemp("messages") / "checkout")
    yield made
    if made.child is not None:
        made.child.close()


@pytest.fixture
def checkout(made: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    really_started = Session._started

    def started(session: Session) -> Child:
        if made.child is None or not made.child.is_alive:
            made.child = really_started(session)
        session._child = None  # which it would close
        made.child._listener = session
        return made.child

    def accepted(*_: object) -> None:
        raise AssertionError("it was not refused")

    monkeypatch.setattr(Session, "_started", started)
    monkeypatch.setattr(Session, "start_embedded", accepted)
    monkeypatch.setenv("SHARDLOAD_ROOT", str(made.root))
    monkeypatch.setenv("SHARDLOAD_PROGRAM", "./shardload")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_told_in_these_lines(
    case: dict[str, Any], checkout: Checkout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (case.get("environment") or {}).items():
        monkeypatch.setenv(name, value)
    # Taurus's handler has the stream of the first test that imported it.
    monkeypatch.setattr(CLI.console_handler, "stream", sys.stderr)
    written = checkout.write(case)
    umask = os.umask(0o022)
    try:
        code = cli.main(shlex.split(case["try"]))
    finally:
        os.umask(umask)
        for path in written:
            path.unlink()
    output = capsys.readouterr()
    says = [case["says"]] if isinstance(case["says"], str) else case["says"]
    says = [line.replace("<checkout>", os.fspath(STARTED_IN)) for line in says]
    assert (output.out + output.err).splitlines() == [f"shardload: {line}" for line in says]
    assert code == exit_codes.WRONG_USE
    assert not (checkout.root / "runs").exists(), "nothing may be started"
