"""The pictures of the profiles in docs/profiles are those of the shipped profiles, and the page shows each of them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.pages import shapes

PAGE = shapes.ROOT / "docs" / "load-profiles.md"


@pytest.mark.parametrize("name", shapes.names())
def test_each_picture_is_current(name: str) -> None:
    """Turned red by another throughput in spike.yml and by a colour that was changed."""
    stored = (shapes.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert stored == shapes.picture(name), "run: python -m tests.pages.shapes --write (in taurus/)"
    assert ET.fromstring(stored).get("aria-label") == name
    assert f"](profiles/{name}.svg)" in PAGE.read_text(encoding="utf-8")


def test_there_is_no_other_picture() -> None:
    assert {path.stem for path in shapes.PICTURES.iterdir()} == set(shapes.names())


def test_the_picture_of_a_search_ends_around_the_knee() -> None:
    bars, _ = shapes.bars_of("find-capacity")
    good = [bar.begin for bar in bars if bar.kind == "good"]
    bad = [bar.begin for bar in bars if bar.kind == "bad"]
    assert max(good) <= shapes.KNEE < min(bad) <= max(good) * 1.051
