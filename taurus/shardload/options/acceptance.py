"""The options of the verb ``acceptance``."""

from __future__ import annotations

from shardload.options.common import Verbs, add_overrides, add_runs, add_verb
from shardload.options.run import add_recreate

_EPILOG = """\
examples:
  shardload acceptance --target citus
  shardload acceptance --target mongodb-sharded --failover-command 'ssh member1 mongosh --eval "rs.stepDown(60)"'
  shardload acceptance --target citus --only explain,parity --page /tmp/acceptance.html
  SHARDLOAD_JENKINS_USER=me SHARDLOAD_JENKINS_TOKEN=... shardload acceptance --target citus --jenkins https://ci.example.com
It takes about half an hour and uses the database of the target file, which must be empty or acceptance's own. The
page names no host, address, user, secret or path, so that it can be attached to a bug report: docs/acceptance.md.
exit codes: 0 everything that applies passed, 1 wrong use, or data that nobody agreed to drop (nothing was changed),
2 interrupted, 3 a check failed, 4 a check found wrong documents or answers
"""


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    verb = add_verb(verbs, "acceptance", "check your cluster in full, and write one page about it", _EPILOG)
    verb.add_argument("--target", "-t", metavar="NAME", help="a target, by its name or its file")
    verb.add_argument("--only", metavar="NAME,...", help="these checks and what they need (--list has their names)")
    verb.add_argument("--list", action="store_true", help="print the checks and what each proves")
    verb.add_argument(
        "--page",
        metavar="FILE",
        help="the page; the same as .json is written next to it (default: acceptance.html in runs/)",
    )
    verb.add_argument(
        "--failover-command",
        metavar="COMMAND",
        help="command that a shell runs during the load: it makes another server the primary",
    )
    verb.add_argument(
        "--foreign-target",
        metavar="NAME",
        help="a target file whose database has a table data_table that shardload did not make; it is not touched",
    )
    verb.add_argument(
        "--jenkins", metavar="URL", help="check it too, as SHARDLOAD_JENKINS_USER with SHARDLOAD_JENKINS_TOKEN"
    )
    verb.add_argument("--grafana", metavar="URL", help="check it too, with the token in SHARDLOAD_GRAFANA_TOKEN")
    add_recreate(verb)
    add_overrides(verb)
    add_runs(verb)
