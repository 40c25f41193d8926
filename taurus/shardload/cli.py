"""The command line: the verbs and their options."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence

from shardload import exit_codes
from shardload.config.places import PRIVATE_UMASK, Places
from shardload.config.problem import Problem
from shardload.options import acceptance, bundles, ci, data, history, load_hosts, overview, runs, scrape, workload
from shardload.options.common import add_verb, example
from shardload.terminal import complain
from shardload.usage import Parser, without_empty
from shardload.version import ShowVersion

# Verbs that are scripts of JMeter's home, which know their options themselves.
SCRIPTS = ("generator", "keys")
# Where a verb is performed, as module:function; shardload.verbs.verbs performs the others, in the checkout's folder.
_PERFORMERS = {
    "acceptance": "acceptance.verb:acceptance",
    "compare": "compare:compare",
    "completion": "overview.completion:completion",
    "dashboards": "dashboards:dashboards",
    "export": "export:export",
    "history": "history.verb:history",
    "package": "hosts:make_package",
    "profiles": "overview.files:profiles",
    "publish": "publish:publish",
    "results": "ci.results:results",
    "runs": "runs.verb:runs",
    "scrape-config": "scrape_config:scrape_config",
    "workloads": "overview.files:workloads",
}

# The verbs as --help groups them.
GROUPS = {
    "Start": "run targets workloads profiles workload help completion",
    "Data": "load verify schema parity",
    "Results": "runs report compare history export publish",
    "Fleet": "generator keys package collect server-metrics scrape-config dashboards",
    "CI": "results acceptance calibrate test",
}
_TEXT = "Load tests for sharded databases: which cluster holds which load?\n\n" + example(
    "run                          # a PostgreSQL of its own, a minute",
    "run --target citus --rate 500 --duration 5m --concurrency 32",
    "run --profile find-capacity  # the highest rate within the limits",
)

_EPILOG = """\
A run is four files: taurus/base.yml, a target, a workload and a profile. Edit them, or override single keys with
-o, as in:  shardload run --profile steady -o execution.0.throughput=800 -o workload.data.documents=1000000

exit codes: 0 ok, 1 wrong use or configuration (nothing was started), 2 interrupted or a part died,
3 criteria missed or target rate not reached, 4 wrong documents or answers found, 5 measurement invalid
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser: argparse.ArgumentParser = Parser(prog="shardload", epilog=_EPILOG, formatter_class=form)
    parser.usage = "shardload VERB [options]"
    parser.add_argument("--version", "-V", action=ShowVersion, help="show version and commit, and exit")
    verbs = parser.add_subparsers(prog="shardload", dest="verb", metavar="verb", required=True, help=argparse.SUPPRESS)
    data.add(verbs)
    bundles.add(verbs)
    acceptance.add(verbs)
    history.add(verbs)
    runs.add(verbs)
    load_hosts.add(verbs)
    scrape.add(verbs)
    workload.add(verbs)
    ci.add(verbs)
    overview.add(verbs)
    add_verb(verbs, "test", "run the tests of the checkout (done by the launcher)")
    room = max(60, min(100, shutil.get_terminal_size().columns - 2))
    lines = {
        each.dest: textwrap.fill(f"  {each.dest:<15} {each.help}", room, subsequent_indent=" " * 18)
        for each in verbs._choices_actions
    }
    groups = ("\n".join([title, *map(lines.__getitem__, names.split())]) for title, names in GROUPS.items())
    parser.description = "\n\n".join([_TEXT, *groups, "shardload VERB --help shows examples and options of a verb."])
    return parser


def _check_consents(options: argparse.Namespace, makes_anew: bool) -> None:
    """Refuse a consent where nothing is dropped: it would be taken for something that it does not do."""
    given = "--discard-unsettled" if getattr(options, "discard_unsettled", []) else "--replace-foreign"
    if not makes_anew and (getattr(options, "discard_unsettled", []) or getattr(options, "replace_foreign", False)):
        where = "a series (--repeat, --vary or --interleave-with)" if options.verb == "run" else "--recreate"
        raise Problem(f"{given}: only together with {where}, because nothing is dropped otherwise")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb and return the exit code."""
    parser = build_parser()
    given = overview.without_help_verb(sys.argv[1:] if arguments is None else arguments)
    places = Places.find()
    if given and given[0] in SCRIPTS:
        return _execute(given[0], given[1:], places)
    words = without_empty(given, parser)
    os.umask(PRIVATE_UMASK)
    try:
        options = parser.parse_args(words)
    except SystemExit as ending:
        # argparse's own 2 means something else here
        return 0 if ending.code in (0, None) else _refused(words, places)
    try:
        return _perform(options, places)
    except Problem as problem:
        complain(str(problem))
        return exit_codes.WRONG_USE
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED


def _refused(words: Sequence[str], places: Places) -> int:
    """Empty the folder of results also for a call of run that argparse refuses: an earlier run's are not this one's."""
    named = [value for name, value in zip(words, words[1:]) if name == "--results" and not value.startswith("-")]
    named += [word.partition("=")[2] for word in words if word.startswith("--results=")]
    if words[:1] == ["run"] and named:
        from shardload.verbs.ci.results import empty

        try:
            empty(named[-1], places)
        except Problem as problem:
            complain(str(problem))
    return exit_codes.WRONG_USE


def _execute(script: str, arguments: Sequence[str], places: Places) -> int:
    """Become a script of JMeter's home; load hosts have these without Python."""
    path = places.jmeter.with_name(script)
    os.chdir(places.root)
    try:
        os.execv(path, [str(path), *arguments])
    except OSError as error:
        complain(f"cannot run {places.show(path)}: {error.strerror}")
        return exit_codes.WRONG_USE


def _perform(options: argparse.Namespace, places: Places) -> int:
    """Perform the verb. Its module is imported here, so that --help does not wait for Taurus."""
    from shardload.config import commands
    from shardload.config.paths.find import settle_files, settle_folders
    from shardload.config.secrets import refuse_in_options
    from shardload.config.workload import consent

    settle_folders(options)
    if options.verb == "run":
        from shardload.verbs.dry.verb import refuse_what_writes

        refuse_what_writes(options)
    if getattr(options, "results", None):
        from shardload.verbs.ci.results import empty

        empty(options.results, places)
    if getattr(options, "allow_commands", False):
        commands.allow()
    if getattr(options, "allow_writes", False):
        consent.allow()
    refuse_in_options("-o", getattr(options, "option", ()))
    refuse_in_options("--vary", getattr(options, "vary", ()))
    settle_files(options, places)
    if hasattr(options, "options"):
        from shardload.verbs.ci.overrides import settle

        settle(options, places)
    is_series = options.verb == "run" and bool(options.vary or options.interleave_with or options.repeat is not None)
    _check_consents(options, is_series or getattr(options, "recreate", False))
    if getattr(options, "discard_unsettled", []):
        from shardload.verbs.run import named_runs

        options.discard_unsettled = named_runs(options.discard_unsettled, places)
    if options.verb == "run":
        return _run(options, places, is_series)
    if options.verb not in _PERFORMERS:
        os.chdir(places.root)
    module, _, function = _PERFORMERS.get(options.verb, "verbs:perform").partition(":")
    performer = getattr(importlib.import_module(f"shardload.verbs.{module}"), function)
    return int(performer(options, places))


def _run(options: argparse.Namespace, places: Places, is_series: bool) -> int:
    from shardload.verbs.capacity import verb as capacity

    is_search = capacity.is_search(options, places)
    if options.dry_run:
        from shardload.verbs.dry.verb import dry_run

        return dry_run(options, places)
    if is_series:
        if is_search:
            capacity.refuse_in_series(options)
        from shardload.verbs.series_run import run_series as perform
    elif is_search:
        perform = capacity.run_search
    else:
        from shardload.verbs.run import run as perform
    code = perform(options, places)
    if code == exit_codes.MISSED and options.allow_missed_criteria:
        told = f"exit code {exit_codes.OK}, not {code}: --allow-missed-criteria"
        print(told, file=sys.stderr if options.json else sys.stdout)
        return exit_codes.OK
    return code
