"""Entry point of ``python -m shardload``."""

import os
import sys

from shardload import apart
from shardload.cli import main

if __name__ == "__main__":
    sys.exit(apart.perform(main, os.environ))
