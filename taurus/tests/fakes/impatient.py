"""shardload as it is, but what does not stop or answer is given up after half a second, not after half a minute."""

from __future__ import annotations

import sys

from shardload.bzt_modules import executor
from shardload.cli import main
from shardload.processes import child, generator, hosts

executor._PATIENCE_SECONDS = 0.5
generator._TERM_SECONDS = 0.5
hosts._ANSWER_SECONDS = 2.0
hosts._INTERRUPTED_SECONDS = 0.5
hosts._ALONE_SECONDS = 0.5
child._END_SECONDS = 0.5

if __name__ == "__main__":
    sys.exit(main())
