"""Which action of the verb ``workload`` is meant."""

from __future__ import annotations

import argparse

from shardload.config.places import Places
from shardload.terminal import Terminal
from shardload.verbs.workload.check import check_folder
from shardload.verbs.workload.init import init_folder


def workload(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Perform it and return the exit code."""
    action = {"check": check_folder, "init": init_folder}[options.action]
    return action(options, places, terminal)
