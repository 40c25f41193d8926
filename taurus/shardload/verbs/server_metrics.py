"""The verb ``server-metrics``: what the servers of a target report of themselves, for a store that scrapes it."""

from __future__ import annotations

import argparse
import re
from datetime import datetime

from shardload.config import effective
from shardload.config.check import check
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.child import Interrupted
from shardload.processes.session import Session
from shardload.processes.signals import StopRequest
from shardload.terminal import Terminal
from shardload.verbs.run import files_of

_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})")
_HIGHEST_PORT = 65535


def server_metrics(options: argparse.Namespace, places: Places, terminal: Terminal) -> int:
    """Serve until a signal comes, which is the ordinary end."""
    host, port = parse_listen(options.listen)
    checked = check(merge(files_of(options, places), options.option, places), needs_load=False)
    stop = StopRequest(terminal.line)
    stop.install()
    run_id = f"{datetime.now():%Y%m%d-%H%M%S}-{options.target}-{options.verb}"
    session = Session(effective.build(checked, run_id, None, options.verb), checked.merged, places, terminal, None)

    def is_interrupted() -> bool:
        return stop.is_made

    try:
        session.check(checked.transactions, is_interrupted)
        data = str(places.data(session.config["target"]["name"]))
        session.call("server-metrics", is_interrupted, host=host, port=port, data_directory=data)
    except Interrupted:
        terminal.clear()
    finally:
        session.close()
    return 0


def parse_listen(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 address is in brackets."""
    match = _LISTEN.fullmatch(text)
    if not match or int(match[2]) > _HIGHEST_PORT:
        raise Problem(f"--listen: {text} is not of the form HOST:PORT, such as 127.0.0.1:9465")
    return match[1].strip("[]"), int(match[2])
