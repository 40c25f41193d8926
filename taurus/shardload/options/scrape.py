"""The options of ``dashboards``, ``server-metrics`` and ``scrape-config``."""

from __future__ import annotations

import argparse

from shardload.options.common import DEFAULT_TARGET, Verbs, add_overrides, add_verb
from shardload.options.data import add_files

DEFAULT_SERVER_METRICS = "127.0.0.1:9465"

_DASHBOARDS_EPILOG = """\
examples:
  shardload dashboards
  shardload dashboards --target citus
It starts VictoriaMetrics, node_exporter, server-metrics and Grafana on 127.0.0.1, names what is missing on PATH and in
.shardload/stores, and ends all of it at Ctrl-C. Start runs in another terminal.
"""

_METRICS_EPILOG = """\
examples:
  shardload server-metrics --target citus
  shardload server-metrics --target citus --listen 0.0.0.0:9465
It serves what the target's servers report until Ctrl-C, and needs no run. What a server does not report, or not to this
user, is left out and named. docs/dashboards.md has the rights that it needs.
"""

_EPILOG = """\
examples:
  shardload scrape-config --target citus --output prometheus.yml
  shardload scrape-config --target citus --target mongodb-sharded --server-metrics 127.0.0.1:9465 \\
    --server-metrics 127.0.0.1:9466
For Prometheus and VictoriaMetrics: the metrics of every run, of "shardload server-metrics", and of a node_exporter on
each host of the targets. The cluster names its hosts, unless the target file does (key hosts). No secret is in it.
"""


def add(verbs: Verbs) -> None:
    """Add these verbs to the command line."""
    boards = add_verb(
        verbs, "dashboards", "start a store and Grafana on this machine, without Docker", _DASHBOARDS_EPILOG
    )
    boards.add_argument(
        "--target", "-t", default=DEFAULT_TARGET, metavar="NAME", help="whose servers are watched (%(default)s)"
    )
    add_overrides(boards)
    metrics = add_verb(
        verbs, "server-metrics", "serve what the target's servers report, for Prometheus", _METRICS_EPILOG
    )
    add_files(metrics)
    metrics.add_argument(
        "--listen", default=DEFAULT_SERVER_METRICS, metavar="HOST:PORT", help="where to serve /metrics (%(default)s)"
    )
    _add_scrape_config(
        add_verb(verbs, "scrape-config", "print the scrape configuration that a store needs to see runs live", _EPILOG)
    )


def _add_scrape_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        "-t",
        action="append",
        required=True,
        metavar="NAME",
        help="by its name or its file; repeatable",
    )
    parser.add_argument("--output", metavar="FILE", help="write this file; one of another origin is not overwritten")
    parser.add_argument(
        "--discovery-dir", metavar="DIR", help="where the store sees the folder of discovery files (.shardload/metrics)"
    )
    parser.add_argument(
        "--server-metrics",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="where server-metrics or a mysqld_exporter listens; repeatable (default: 127.0.0.1:9465)",
    )
    add_overrides(parser)
