"""The pictures of docs/ and the command that makes them belong together; that a picture is made is seen by eye."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tests import screenshots
from tests.screenshots import CELLS, DOCS, MEASURED, PICTURES


def test_each_picture_of_the_documentation_is_made() -> None:
    """A dashboard's picture has the name of its board."""
    source = inspect.getsource(screenshots)
    made = set(re.findall(r'DOCS / "(\S+\.png)"', source)) | {"dashboard-run.png", "dashboard-hosts.png"}
    assert made == {path.name for path in DOCS.glob("*.png")}
    assert set(PICTURES) == {"report", "stages", "search", "compare"}


def test_an_invalid_run_makes_no_picture() -> None:
    assert set(MEASURED) == {0, 3}


def test_only_the_upper_rows_of_a_dashboard_are_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn: list[str] = []

    class Drawn:
        panels = [{"state": "drawn"}]

    def draw(data: dict, output: Path) -> Drawn:
        drawn.extend(panel["title"] for panel in data["panels"])
        output.write_bytes(b"")
        return Drawn()

    monkeypatch.setattr(screenshots, "draw", draw)
    places = {"first": 0, "last": CELLS - 8, "below": CELLS - 7}
    panels = [{"title": title, "gridPos": {"y": y, "h": 8}} for title, y in places.items()]
    screenshots._draw({"panels": panels}, tmp_path / "out.png")
    assert drawn == ["first", "last"]
