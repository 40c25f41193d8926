"""Jobs for tests of the pipelines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline import JAR, SECRET, Job


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Return the job of a target with a password; its workspace is empty."""
    if not JAR.exists():
        pytest.fail("the interpreter is not built: run ./shardload test jenkins")
    return Job(tmp_path, credentials={"shardload-citus-SHARDLOAD_PG_PASSWORD": SECRET})
