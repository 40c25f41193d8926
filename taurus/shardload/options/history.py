"""The verbs that take a bundle elsewhere: ``publish`` and ``export``."""

from __future__ import annotations

from shardload.options.common import Verbs, add_verb

FORMATS = ("csv", "json", "openmetrics")

_PUBLISH_EPILOG = """\
examples:
  shardload publish 20261121-060102-citus-steady
  shardload publish runs/20261121-080000-citus-series --url http://store.example:8428
  STORE_TOKEN=... shardload publish 20261121-060102-citus-steady --url https://store.example --token-env STORE_TOKEN
A VictoriaMetrics gets the series of the run with the label source="bundle"; those of an earlier publish are replaced.
A run older than what the store keeps (-retentionPeriod) cannot be published. Prometheus imports nothing over HTTP:
  shardload export RUN --format openmetrics
  promtool tsdb create-blocks-from openmetrics RUN.om DATA
Do this three hours after the run or later: the newest hours of a running Prometheus are its own.
"""

_EXPORT_EPILOG = """\
examples:
  shardload export 20261121-060102-citus-steady --format csv
  shardload export 20261121-060102-citus-steady --format json --output - | jq .summary.headline
  shardload export 20261121-060102-citus-steady --format openmetrics --output run.om
csv: a folder with seconds.csv, hosts.csv and summary.csv. docs/export.md describes every column and key.
"""


def add(verbs: Verbs) -> None:
    """Add both verbs to the command line."""
    publish = add_verb(verbs, "publish", "import runs into a VictoriaMetrics, for the dashboards", _PUBLISH_EPILOG)
    publish.add_argument(
        "runs", nargs="+", metavar="RUN", help="a bundle or a series, by its name in runs/ or its path"
    )
    publish.add_argument(
        "--url", metavar="URL", help="of the store (default: metrics.url of the run's target, or http://127.0.0.1:8428)"
    )
    publish.add_argument("--token-env", metavar="NAME", help="environment variable with a bearer token")
    publish.add_argument("--user", metavar="NAME", help="for basic authentication, with --password-env")
    publish.add_argument("--password-env", metavar="NAME", help="environment variable with the user's password")
    export = add_verb(verbs, "export", "write a run as csv, json or OpenMetrics text", _EXPORT_EPILOG)
    export.add_argument("run", metavar="RUN", help="a bundle, by its name in runs/ or its path")
    # Checked later: argparse names no nearest one.
    export.add_argument("--format", required=True, metavar="FORMAT", help=", ".join(FORMATS))
    export.add_argument(
        "--output", metavar="PATH", help="file, or folder for csv (default: RUN.json, RUN.om, RUN-csv); - for stdout"
    )
    export.add_argument("--force", action="store_true", help="replace what is there")
