"""The verbs about load hosts."""

from __future__ import annotations

from shardload.options.common import Verbs, add_runs, add_verb

_PACKAGE_EPILOG = """\
examples:
  shardload package
  shardload package --output /tmp/shardload.tar.gz
  shardload package --all --python 3.11,3.12
A load host needs only Java: unpack the file, copy the key store of "shardload keys" into .shardload/keys there,
and start ./shardload generator. docs/load-hosts.md has the whole way.
--all makes shardload-<version>-all.tar.gz, which runs like a checkout: docs/install.md.
"""

_COLLECT_EPILOG = """\
examples:
  scp -r host1:shardload-0.1.0/runs/20261121-060102-citus-steady host1-run
  shardload collect 20261121-060102-citus-steady host1-run
It is for a run whose hosts or meeting point were lost. Afterwards "shardload verify" settles the data set with what is
known now. Both write the summary and the page of the run again.
"""


def add(verbs: Verbs) -> None:
    """Add them to the command line."""
    # The arguments of these verbs go to scripts, because a load host has no Python; see main.
    add_verb(verbs, "generator", "run JMeter engines on this load host, one for each run (options: generator --help)")
    add_verb(verbs, "keys", "make the key store that controller and load hosts share (options: keys --help)")
    package = add_verb(verbs, "package", "make shardload-<version>.tar.gz for load hosts", _PACKAGE_EPILOG)
    package.add_argument("--output", metavar="FILE", help="the file to write (default: in the current folder)")
    package.add_argument(
        "--all", action="store_true", help="everything, not only the part for load hosts; without Maven and network"
    )
    package.add_argument(
        "--python", metavar="3.N,...", help="with --all: versions that need no network (default: the one that runs)"
    )
    collect = add_verb(verbs, "collect", "merge what load hosts wrote into the bundle of their run", _COLLECT_EPILOG)
    collect.add_argument("run", metavar="RUN", help="a bundle, by its name in runs/ or its path")
    add_runs(collect)
    collect.add_argument("folders", nargs="+", metavar="DIR", help="folder of the run, copied from a load host")
