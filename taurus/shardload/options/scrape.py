"""The options of the verb ``scrape-config``."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  shardload scrape-config --target citus --output prometheus.yml
  shardload scrape-config --target citus --target mongodb-sharded --server-metrics 127.0.0.1:9465 \\
    --server-metrics 127.0.0.1:9466
For Prometheus and VictoriaMetrics: the metrics of every run, of "shardload server-metrics", and of a node_exporter on
each host of the targets. The cluster names its hosts, unless the target file does (key hosts). No secret is in it.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add them to its parser."""
    parser.add_argument(
        "--target", "-t", action="append", required=True, metavar="NAME", help="a file of taurus/targets; repeatable"
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
        help="where server-metrics listens, one for each target; repeatable (default: 127.0.0.1:9465)",
    )
