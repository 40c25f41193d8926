"""shardload as it is, but a generator that does not stop is given up after half a second, not after half a minute."""

from __future__ import annotations

import sys

from shardload.bzt_modules import executor
from shardload.cli import main
from shardload.processes import generator

executor._PATIENCE_SECONDS = 0.5
generator._TERM_SECONDS = 0.5

if __name__ == "__main__":
    sys.exit(main())
