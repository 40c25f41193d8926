"""Whether a run may write to data that shardload did not make."""

from __future__ import annotations

import os

# Not a key: a user who may only edit files or pass -o must not set it. --allow-writes sets it for this process.
ALLOW_VARIABLE = "SHARDLOAD_ALLOW_WRITES"


def allow() -> None:
    """Allow writes in this process and those that it starts."""
    os.environ[ALLOW_VARIABLE] = "1"


def is_given() -> bool:
    """Whether the user allows writes."""
    return os.environ.get(ALLOW_VARIABLE) == "1"
