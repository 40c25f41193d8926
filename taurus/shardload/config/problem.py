"""Wrong use, reported in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST_LINES = 10


class Problem(Exception):
    """Something that the user must change; its text is the one line that the user sees.

    ``key`` names the key it is about when the text does not, or ``path`` the way to it from the section that was read.
    """

    def __init__(self, text: str, key: str | None = None, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(text)
        self.key = key
        self.path = path or ((key,) if key else ())


class Problems(Problem):
    """Several at once: a line for each, sorted by the place that it begins with."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = sorted(set(lines))
        more = len(self.lines) - MOST_LINES
        shown = self.lines[:MOST_LINES] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("\n".join(shown))


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice that the name was probably meant to be, or None."""
    candidates = sorted(set(choices))
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.5)
    if found:
        return found[0]
    longer = [candidate for candidate in candidates if name and (name in candidate or candidate in name)]
    return longer[0] if longer else None


def unknown_run(name: str, known: Iterable[str]) -> str:
    """Say that a run is unknown, with the nearest name or else the newest: there may be hundreds."""
    names = sorted(set(known))
    near = nearest(name, names)
    newest = ", ".join(reversed(names[-3:]))
    hint = f'did you mean "{near}"?' if near else f"the newest are {newest}" if names else "there is no run yet"
    return f'unknown run "{name}"; {hint}'


def unknown(what: str, name: object, choices: Iterable[str]) -> str:
    """Say that a name is unknown, with the nearest right one or else all of them."""
    known = sorted(set(choices))
    near = nearest(str(name), known)
    hint = f'did you mean "{near}"?' if near else "known are " + ", ".join(known) if known else "none is known"
    return f'unknown {what} "{name}"; {hint}'
