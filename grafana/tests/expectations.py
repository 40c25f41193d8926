"""Where a dashboard may be empty: it is executed while a run goes on, and after it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from checks.dashboard import Dashboard, Panel

ABSENT = re.compile(r"(?P<place>.*?): (?:empty: .*|unknown metric \S+)")
LATE_MARKS = ("End of load", "Verdict")
# Tiles among those of the moment that are known after the run alone.
LATE_TILES = ("Verdict", "Bound by", "Capacity", "Wrong data")

# One line for each thing that is wrong, as the checker yields them.
Lines = Sequence[str]


def places(panels: Sequence[Panel]) -> set[str]:
    """Return the queries of panels as the checker names them."""
    return {f'panel "{panel.title}" {query.reference}' for panel in panels for query in panel.queries}


def meant_for_after(dashboard: Dashboard) -> set[str]:
    """Return what has to have a value after the run."""
    is_history = dashboard.uid == "shardload-history"
    marks = {f'annotation "{mark["name"]}"' for mark in dashboard.annotations if mark["name"] in LATE_MARKS}
    return marks | places([each for each in dashboard.panels if is_history or each.title in LATE_TILES])


def meant_for_during(dashboard: Dashboard) -> set[str]:
    """Return what has to have a value while the run goes on."""
    return places([each for each in dashboard.panels if each.row.startswith("Now") and each.title not in LATE_TILES])


def unexpected(
    dashboard: Dashboard, during: Sequence[Lines], after: Sequence[Lines], may_be_empty: Collection[str] = ()
) -> list[str]:
    """Return what is wrong with a dashboard that was looked at several times, for instance with other targets.

    A query has to have a value at one of the times; at the time that it is meant for, if there is one.
    """
    wrong = [line for look in (*during, *after) for line in look if not ABSENT.fullmatch(line)]
    empty = _always(during) & _always(after)
    empty |= _always(during) & meant_for_during(dashboard)
    empty |= _always(after) & meant_for_after(dashboard)
    lines = [line for look in (*during, *after) for line in look if _place(line) in empty - set(may_be_empty)]
    return list(dict.fromkeys([*wrong, *lines]))


def _place(line: str) -> str:
    found = ABSENT.fullmatch(line)
    return found["place"] if found else ""


def _always(looks: Sequence[Lines]) -> set[str]:
    """Return what had no value in any of the looks."""
    return set.intersection(*(set(_places(look)) for look in looks))


def _places(look: Lines) -> Iterator[str]:
    yield from (place for line in look if (place := _place(line)))
