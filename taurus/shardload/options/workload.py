"""The options of the verb ``workload``."""

from __future__ import annotations

from shardload.options.common import DEFAULT_TARGET, Verbs, add_overrides, add_verb

_EPILOG = """\
examples:
  shardload workload init shop
  shardload workload check shop --preview 5
  shardload run --workload ./shop
A folder with statements in plain sight makes a workload without Java: docs/own-workload.md. A folder is code: its
statements run with the rights of the target's user.
"""

_CHECK_EPILOG = """\
examples:
  shardload workload check shop
  shardload workload check shop --target citus --preview 5
The server prepares each statement in a scratch schema, which is dropped again, or with "data: existing" on the existing
tables; no statement is executed on your data. Each problem is one line with file and line number.
exit codes: 0 nothing is wrong, 1 something is, 2 interrupted
"""

_INIT_EPILOG = """\
examples:
  shardload workload init shop
  shardload workload init ../load/shop
  shardload workload init shop --from-database postgresql://db1.example:5432/shop --user reader
It writes a small folder with comments: two tables, three transactions, one check. The folder's name becomes the
workload's name. With --from-database it writes the tables, keys, relations and indexes of a PostgreSQL, values like
theirs, and a read, an insert, an update and a delete for each table. It reads at most 10,000 rows of each table, only
lengths and counts of texts leave the server, and nothing is changed there. The password comes from the environment
variable that the target names.
"""


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    verb = add_verb(verbs, "workload", "create or check a workload with your own tables and statements", _EPILOG)
    actions = verb.add_subparsers(dest="action", metavar="check|init", required=True)
    check = add_verb(actions, "check", "report every problem of a folder, without touching data", _CHECK_EPILOG)
    check.add_argument("workload", metavar="DIR", help="the folder, by its path or its name")
    check.add_argument("--target", "-t", default=DEFAULT_TARGET, help="a target, by its name or its file (%(default)s)")
    check.add_argument("--preview", type=int, default=0, metavar="N", help="print N rows of each table and N calls")
    add_overrides(check)
    init = add_verb(actions, "init", "write a small commented folder", _INIT_EPILOG)
    init.add_argument("directory", metavar="DIR", help="the new folder; it must not exist, or be empty")
    # Checked later: the list of systems is in the checkout.
    init.add_argument(
        "--system",
        metavar="NAME",
        help="whose statements (default: those of the default target; an unknown name lists them all)",
    )
    init.add_argument(
        "--from-database", metavar="URL", help="describe these tables: an address without user and password"
    )
    init.add_argument("--user", metavar="NAME", help="of the database (target.user)")
    init.add_argument(
        "--target", "-t", metavar="NAME", help="whose other keys hold for the database (default: by the URL)"
    )
    init.add_argument(
        "-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="override a key of the target"
    )
    init.set_defaults(default_target=DEFAULT_TARGET)
