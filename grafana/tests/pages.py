"""Series made from one page of an exporter, as if a store had scraped it for a while."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.programs import History

LINE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)(?P<labels>\{.*\})? (?P<value>\S+)")
# What the controller serves from the run's summary, and how long after the time of the verdict.
RESULT = re.compile(r"shardload_run_(exit_code|errors_ratio|wrong_documents|response_seconds|\w+_rate)")
RESULT_AFTER_SECONDS = 3
# By which part of its value on the page a counter grows each second.
GROWTH_PER_SECOND = 0.01


@dataclass(frozen=True)
class Sample:
    """One line of a page."""

    name: str
    labels: str
    value: float
    kind: str

    @property
    def grows(self) -> bool:
        return self.kind == "counter" or (self.kind in ("histogram", "summary") and "quantile=" not in self.labels)

    @property
    def is_result(self) -> bool:
        return bool(RESULT.fullmatch(self.name))

    @property
    def is_time(self) -> bool:
        return self.name.endswith("_timestamp_seconds")


def parse(page: str) -> list[Sample]:
    kinds: dict[str, str] = {}
    found = []
    for line in page.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            kinds[name] = kind
        elif match := LINE.match(line):
            name = match["name"]
            kind = kinds.get(name) or kinds.get(re.sub(r"_(bucket|sum|count|total)$", "", name)) or "untyped"
            found.append(Sample(name, match["labels"] or "", float(match["value"]), kind))
    assert found, "the page has no samples"
    return found


def of_source(source: str, page: str) -> str:
    """Return a page of a run as a store gets it: live by scraping, bundle by publishing."""
    return page.replace('run_id="', f'source="{source}",run_id="')


def history(pages: Iterable[str], start: float, end: float, every_seconds: float = 5) -> History:
    """Return the samples of the pages in a time; counters grow in proportion, so that buckets stay in order.

    Times on a page are moved: the first lies a tenth of the range behind its start. Each appears when it has come, and
    the results of a run after the last of them.
    """
    samples = list(dict.fromkeys(sample for page in pages for sample in parse(page)))
    times = [sample.value for sample in samples if sample.is_time and sample.value > 0]
    shift = start + (end - start) / 10 - min(times, default=0.0)
    results = max(times, default=0.0) + shift + RESULT_AFTER_SECONDS
    found = []
    for sample in samples:
        for number in range(int((end - start) / every_seconds) + 1):
            moment = start + number * every_seconds
            value = sample.value * (1 + (moment - start) * GROWTH_PER_SECOND) if sample.grows else sample.value
            if sample.is_time:
                value += shift
            appears = value if sample.is_time else results if sample.is_result else moment
            if appears <= moment:
                found.append((sample.name + sample.labels, moment, value))
    return History(found)


def between(before: str, after: str, start: float, end: float, every_seconds: float = 5) -> History:
    """Return the samples of two pages, one from the start and one from the end; what lies between grows steadily."""
    first = {(sample.name, sample.labels): sample.value for sample in parse(before)}
    found = []
    for sample in parse(after):
        begun = first.get((sample.name, sample.labels), sample.value)
        for number in range(int((end - start) / every_seconds) + 1):
            share = number * every_seconds / (end - start)
            value = begun + (sample.value - begun) * share
            found.append((sample.name + sample.labels, start + number * every_seconds, value))
    return History(found)
