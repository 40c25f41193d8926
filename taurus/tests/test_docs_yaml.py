"""The YAML in pages of docs/ is accepted as it stands: by the check of a run, together with shipped files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from shardload.config.check import check
from shardload.config.merge import merge
from shardload.config.places import Places

ROOT = Path(__file__).resolve().parents[2]
TAURUS = ROOT / "taurus"
PAGES = ("coming-from.md", "configuration.md", "load-profiles.md", "studies.md", "tutorial.md")
_FENCE = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# In the order in which they are merged.
SHIPPED = {"target": "targets/noop.yml", "workload": "workloads/document-store.yml", "execution": "profiles/smoke.yml"}


def fences() -> list[tuple[str, str]]:
    pages = {page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES}
    return [(page, text) for page, content in pages.items() for text in _FENCE.findall(content)]


def test_the_yaml_is_found() -> None:
    assert {page for page, _ in fences()} == set(PAGES)


@pytest.mark.parametrize(("page", "text"), fences(), ids=lambda value: value[:24])
def test_the_yaml_of_a_page_is_accepted(page: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned red by an unknown key, and by a criterion with a message that was not in quotes."""
    monkeypatch.chdir(ROOT)
    own = tmp_path / "own.yml"
    own.write_text(text, encoding="utf-8")
    sections = yaml.safe_load(text)
    shipped = [TAURUS / file for section, file in SHIPPED.items() if section not in sections]
    check(merge([TAURUS / "base.yml", *shipped, own], [], Places(ROOT)))
