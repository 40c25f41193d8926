"""docs/architecture.md names every package and folder, and only files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
JAVA = ROOT / "java-samplers" / "src" / "main" / "java" / "io" / "shardload"
PYTHON = ROOT / "taurus" / "shardload"
SPANS = set(re.findall(r"`([^`\n]+)`", PAGE))


def folders(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith("_"))


@pytest.mark.parametrize("name", folders(JAVA))
def test_every_package_has_a_row(name: str) -> None:
    """Turned red by a row taken from the table."""
    assert re.search(rf"^\| (`[\w/]+`, )*`{name}`", PAGE, re.M)


@pytest.mark.parametrize("name", folders(PYTHON))
def test_every_folder_of_python_has_a_row(name: str) -> None:
    assert re.search(rf"^\| `{name}/`", PAGE, re.M)


@pytest.mark.parametrize("name", folders(PYTHON / "verbs") + folders(PYTHON / "config"))
def test_every_inner_folder_is_named(name: str) -> None:
    assert f"{name}/" in SPANS


@pytest.mark.parametrize("name", sorted(span for span in SPANS if re.fullmatch(r"[\w/.-]+/[\w.-]+\.\w+", span)))
def test_every_file_that_is_named_exists(name: str) -> None:
    """Turned red by a misspelt path."""
    if name.endswith("mine.yml"):
        return
    assert any((root / name).exists() for root in (ROOT, JAVA, PYTHON, ROOT / "java-samplers"))


@pytest.mark.parametrize("name", sorted(span for span in SPANS if re.fullmatch(r"[a-z/]+/[A-Z]\w+", span)))
def test_every_class_that_is_named_exists(name: str) -> None:
    """Turned red by a class of another name."""
    tests = ROOT / "java-samplers" / "src" / "test" / "java" / "io" / "shardload"
    assert any((root / f"{name}.java").exists() for root in (JAVA, JAVA / "driver" / "postgresql", tests))
