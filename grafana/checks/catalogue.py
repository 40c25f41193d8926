"""Which metrics there are, with their labels and values: from recorded pages of those who serve them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

SAMPLE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})? \S+")
LABEL = re.compile(r'(?P<label>[A-Za-z_]\w*)(?P<sign>=~|!~|!=|=)"(?P<value>(?:[^"\\]|\\.)*)"')
SELECTOR = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)\{(?P<matchers>(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\}")
NAME_OR_SELECTOR = re.compile(rf"{SELECTOR.pattern}|(?P<bare>[A-Za-z_:][\w:]*)")
# What a store adds to each series that it scrapes; to those of a run also the label source.
SCRAPED = {"job", "instance"}
RUN, SOURCE = "run_id", "source"


@dataclass
class Catalogue:
    """The labels of each metric, and the values that each label was seen with."""

    metrics: dict[str, dict[str, set[str]]] = field(default_factory=dict)

    def faults(self, expression: str) -> list[str]:
        """Return which labels, and which values of theirs, no series of a selector's metric has."""
        found = []
        for selector in SELECTOR.finditer(expression):
            known = self.metrics.get(selector["name"])
            if known is None:
                continue
            for matcher in LABEL.finditer(selector["matchers"]):
                label, value = matcher["label"], matcher["value"]
                if label not in known.keys() | SCRAPED | ({SOURCE} if RUN in known else set()):
                    found.append(f"{selector['name']} has no label {label}")
                elif matcher["sign"] == "=" and "$" not in value and label in known and value not in known[label]:
                    found.append(f'{selector["name"]} has no {label}="{value}"')
        return found

    def without_source(self, expression: str) -> list[str]:
        """Return the metrics of runs that are selected with all their sources, so that calls count twice."""
        found = []
        for selector in NAME_OR_SELECTOR.finditer(expression):
            name = selector["name"] or selector["bare"]
            matchers = LABEL.finditer(selector["matchers"] or "")
            is_of_one = any(matcher["label"] == SOURCE and matcher["sign"] == "=" for matcher in matchers)
            if RUN in self.metrics.get(name, {}) and not is_of_one:
                found.append(name)
        return found


def read(pages: Iterable[Path]) -> Catalogue:
    """Return what stands on exposition pages."""
    catalogue = Catalogue()
    for page in pages:
        for line in page.read_text(encoding="utf-8").splitlines():
            if sample := SAMPLE.match(line):
                labels = catalogue.metrics.setdefault(sample["name"], {})
                for label in LABEL.finditer(sample["labels"] or ""):
                    labels.setdefault(label["label"], set()).add(label["value"])
    return catalogue
