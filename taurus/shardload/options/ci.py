"""The verbs that callers such as Jenkins need in addition to ``run``: ``targets`` and ``results``."""

from __future__ import annotations

from shardload.options.common import Verbs, add_runs, add_verb
from shardload.options.run import add_load_hosts

_TARGETS_EPILOG = """\
examples:
  shardload targets
  shardload targets citus --check --load-hosts host1,host2
  shardload targets citus ferretdb --lock
--lock names the machines that the target files name; it asks no server, so what a cluster has beyond these is not
among them. Two targets of one cluster share a name as long as their files name one machine in common.
--check does not log in to the server. "shardload run --dry-run --target NAME" does.
"""


_RESULTS_EPILOG = """\
examples:
  shardload run --target citus --results results --allow-missed-criteria
  shardload results results --grafana http://grafana.example:3000
DIR then has junit.xml, description.txt and description.html (one line), report/index.html or, of a series,
compare/index.html or, of a search, search/index.html (without scripts), and the bundles as <run>.tar.gz. A run that was
cut off is judged first. May be repeated. The exit code is 0 whatever the verdict, also if nothing was started.
"""


def add(verbs: Verbs) -> None:
    """Add them to the command line."""
    targets = add_verb(verbs, "targets", "list the targets and whether they answer", _TARGETS_EPILOG)
    targets.add_argument(
        "names", nargs="*", metavar="NAME", help="only these, by name or file; empty ones do not count"
    )
    targets.add_argument(
        "--timeout", type=float, default=2.0, metavar="SECONDS", help="to wait for answers (%(default)s)"
    )
    asked = targets.add_mutually_exclusive_group()
    asked.add_argument("--check", action="store_true", help="exit with 1 unless all of them answer, load hosts too")
    asked.add_argument("--lock", action="store_true", help="print a name for each machine that a run would load")
    asked.add_argument(
        "--credentials",
        action="store_true",
        help="print shardload-TARGET-VARIABLE for each secret; a variable of two targets only for the first",
    )
    add_load_hosts(targets)
    results = add_verb(verbs, "results", "put the results of run --results into one folder", _RESULTS_EPILOG)
    add_runs(results)
    results.add_argument("directory", metavar="DIR", help="the folder of run --results")
    results.add_argument(
        "--grafana", metavar="URL", help="for a link to the dashboard Run (default: SHARDLOAD_GRAFANA_URL, or no link)"
    )
