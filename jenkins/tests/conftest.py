"""Jobs for tests of the pipelines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import Job


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Return a job whose workspace is empty."""
    return Job(tmp_path)
