"""The verbs for runs that are over: ``publish``, ``export`` and ``history``."""

from __future__ import annotations

from shardload.options.common import Verbs, add_runs, add_verb

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

_HISTORY_EPILOG = """\
examples:
  SHARDLOAD_RUNS=/srv/shardload/runs shardload history
  shardload history citus --runs /srv/shardload/runs --profile steady --page history
  shardload history citus --add-from results --fail-on-regression 10%
A run is worse if RPS, p99 or capacity changed by more than the percentage AND lies beyond the one-sided 95 % prediction
bound of the last ten, at least five, comparable valid runs. docs/history.md has the method and the keys of --json.
exit codes: 0, 1 wrong use, 3 a regression with --fail-on-regression: of the added runs, or else of the newest ones
"""


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    _add_history(verbs)
    publish = add_verb(verbs, "publish", "import runs into a VictoriaMetrics, for the dashboards", _PUBLISH_EPILOG)
    publish.add_argument(
        "runs", nargs="+", metavar="RUN", help="a bundle or a series, by its name in runs/ or its path"
    )
    publish.add_argument(
        "--url", metavar="URL", help="of the store (default: metrics.url of the run's target, or http://127.0.0.1:8428)"
    )
    add_runs(publish)
    publish.add_argument("--token-env", metavar="NAME", help="environment variable with a bearer token")
    publish.add_argument("--user", metavar="NAME", help="for basic authentication, with --password-env")
    publish.add_argument("--password-env", metavar="NAME", help="environment variable with the user's password")
    export = add_verb(verbs, "export", "write a run as csv, json or OpenMetrics text", _EXPORT_EPILOG)
    export.add_argument("run", metavar="RUN", help="a bundle, by its name in runs/ or its path")
    add_runs(export)
    # Checked later: argparse names no nearest one.
    export.add_argument("--format", required=True, metavar="FORMAT", help=", ".join(FORMATS))
    export.add_argument(
        "--output", metavar="PATH", help="file, or folder for csv (default: RUN.json, RUN.om, RUN-csv); - for stdout"
    )
    export.add_argument("--force", action="store_true", help="replace existing files")


def _add_history(verbs: Verbs) -> None:
    history = add_verb(verbs, "history", "list kept runs over time, and whether the newest is worse", _HISTORY_EPILOG)
    history.add_argument("target", nargs="?", metavar="TARGET", help="only the runs of this target (default: all)")
    history.add_argument("--runs", metavar="DIR", help="the folder where runs are kept (default: SHARDLOAD_RUNS)")
    history.add_argument(
        "--add",
        action="append",
        default=[],
        metavar="RUN",
        help="keep a run or series, by its name in runs/ or its path",
    )
    history.add_argument(
        "--add-from", metavar="DIR", help="keep the run that DIR/run names, as run --results writes it"
    )
    history.add_argument("--workload", "-w", metavar="NAME", help="only runs of this workload")
    history.add_argument("--profile", "-p", metavar="NAME", help="only runs of this profile")
    history.add_argument(
        "--tag", action="append", default=[], metavar="KEY=VALUE", help="only runs with this tag; repeatable"
    )
    history.add_argument("--name", metavar="NAME", help="only runs with this name (run --name)")
    history.add_argument(
        "--fail-on-regression", metavar="PERCENT", help="exit code 3 if a run is worse by more, such as 10%%"
    )
    history.add_argument("--page", metavar="DIR", help="write DIR/index.html, which needs no script")
    history.add_argument("--json", action="store_true", help="print everything as JSON")
