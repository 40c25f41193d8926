"""A test leaves no process behind, whatever its outcome."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import checkout
from tests.checkout import checked_out

SLEEP = "import time; time.sleep(300)"


def test_a_process_that_outlives_its_test_is_ended_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "LEAVE_SECONDS", 0.5)
    with pytest.raises(AssertionError, match="no process may outlive"), checked_out(tmp_path) as made:
        process = subprocess.Popen([sys.executable, "-c", SLEEP, str(made.root)])
    assert process.wait(20) == -9


def test_it_is_ended_as_well_where_the_test_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "LEAVE_SECONDS", 0.5)
    with pytest.raises(ZeroDivisionError), checked_out(tmp_path) as made:
        process = subprocess.Popen([sys.executable, "-c", SLEEP, str(made.root)])
        raise ZeroDivisionError
    assert process.wait(20) == -9
