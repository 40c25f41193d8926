"""The exit codes of every verb, and which of several wins. The README explains them to users.

The Java side judges a finished run (``results/Verdict.java``) by the same table.
"""

from __future__ import annotations

from collections.abc import Sequence

OK = 0
WRONG_USE = 1
INTERRUPTED = 2
PART_DIED = 2
MISSED = 3
WRONG_DATA = 4
INVALID = 5

_WORST_FIRST = (WRONG_DATA, INVALID, INTERRUPTED, MISSED, OK)


def worst(codes: Sequence[int]) -> int:
    """Return the worst exit code; any other code than those of a run counts as a part that died."""
    known = {code if code in _WORST_FIRST else PART_DIED for code in codes}
    return next((code for code in _WORST_FIRST if code in known), OK)
