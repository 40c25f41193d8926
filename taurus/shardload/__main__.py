"""Entry point of ``python -m shardload``."""

import sys

from shardload.cli import main

if __name__ == "__main__":
    sys.exit(main())
