"""Holds stores with the series of pages until Ctrl-C: ``python -m tests.demo PAGE...``, for work on dashboards."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from pathlib import Path

from tests.pages import history
from tests.programs import KINDS, holding

RANGE_SECONDS = 900


def main() -> None:
    end = float(int(time.time()))
    made = history([Path(path).read_text() for path in sys.argv[1:]], end - RANGE_SECONDS, end)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        for kind in KINDS:
            store = stack.enter_context(holding(Path(folder), made, kind))
            print(f"{kind}: --store {store.url} --from {end - RANGE_SECONDS:.0f} --to {end:.0f}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(7200)


if __name__ == "__main__":
    main()
