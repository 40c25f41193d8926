"""Every link of the documents leads to an existing file or heading, and README leads to every page and picture."""

from __future__ import annotations

import re

from tests.documents.links import Link, broken, links, reached
from tests.documents.texts import DOCUMENTS, JAVA, PYTHON, ROOT, SCRIPTS, WHOLE, files

PAGES = files(*DOCUMENTS)
# A page that a message, a comment or an example names; "docs/x.md" is a name in a test.
_NAMED = re.compile(r"(?<![\w/.])docs/(?P<page>[\w-]+\.(?:md|png))(?P<anchor>#[\w-]+)?")


def test_every_link_and_anchor_leads_somewhere() -> None:
    found = [link for page in PAGES for link in links(page)]
    assert len(found) > 40, "the links were not found"
    wrong = [(link, broken(link)) for link in found]
    assert [f"{link.page.relative_to(ROOT)}:{link.line}: {what}" for link, what in wrong if what] == []


def test_a_reader_of_the_readme_finds_every_page_and_picture() -> None:
    known = reached(ROOT / "README.md")
    wanted = files("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "clusters/README.md", "docs/*")
    assert [path.relative_to(ROOT).as_posix() for path in wanted if path not in known] == []


def test_every_page_that_sources_name_exists() -> None:
    wrong = []
    for path in files(*PYTHON, *JAVA, *SCRIPTS, *WHOLE, "CONTRIBUTING.md", "clusters/*", "pom.xml", "*/pom.xml"):
        for match in _NAMED.finditer(path.read_text(encoding="utf-8")):
            where = match["page"] + (match["anchor"] or "")
            what = broken(Link(ROOT / "docs" / "README.md", 0, where))
            if what:
                wrong.append(f"{path.relative_to(ROOT)}: {what}")
    assert wrong == []
