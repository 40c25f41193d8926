"""The command line: the verbs and their options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from shardload import __version__, exit_codes
from shardload.config.places import PRIVATE_UMASK, Places
from shardload.config.problem import Problem
from shardload.options import acceptance, ci, history, load_hosts, scrape, workload
from shardload.options import run as run_options
from shardload.options.common import Verbs, add_overrides, add_verb
from shardload.options.empty import without_empty

DEFAULT_TARGET = "embedded-postgresql"
DEFAULT_WORKLOAD = "document-store"
DEFAULT_PROFILE = "smoke"
DEFAULT_SERVER_METRICS = "127.0.0.1:9465"
# Verbs that are scripts of JMeter's home, which know their options themselves.
SCRIPTS = ("generator", "keys")

_EPILOG = """\
A run is four files: taurus/base.yml, a target, a workload and a profile. Edit them, or override single keys with
-o, as in:  shardload run --profile steady -o execution.0.throughput=800 -o workload.data.documents=1000000

exit codes: 0 ok, 1 wrong use or configuration (nothing was started), 2 interrupted or a part died,
3 criteria missed or target rate not reached, 4 wrong documents or answers found, 5 measurement invalid
"""

_COMPARE_EPILOG = """\
examples:
  shardload compare 20261121-060102-citus-steady 20261121-071500-ferretdb-steady
  shardload compare runs/20261121-080000-citus-series
Only repeated runs in turns (run --repeat 6 --interleave-with TARGET) tell a difference from the noise between runs.
"""

_PARITY_EPILOG = """\
examples:
  shardload parity --targets embedded-postgresql,embedded-mongodb
  shardload parity --targets citus,mongodb-sharded --calls 1000 -o workload.data.documents=20000
Every target gets the same documents and the same calls. Each answer, and the whole state after the writes, is compared
with what the workload itself says. Exit code 0 if all are equal, 4 if not; addresses belong into the target files.
"""


_SERVER_METRICS_EPILOG = """\
examples:
  shardload server-metrics --target citus
  shardload server-metrics --target citus --listen 0.0.0.0:9465
It serves what the target's servers report until Ctrl-C, and needs no run. What a server does not report, or not to this
user, is left out and named. docs/dashboards.md has the rights that it needs.
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _parser("shardload", "Load tests for sharded databases: which cluster holds which load?", _EPILOG)
    parser.add_argument("--version", action="version", version=f"shardload {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="verb", required=True, parser_class=argparse.ArgumentParser)
    run = add_verb(verbs, "run", "schema, load if empty, load test, verification, report", run_options.EPILOG)
    _add_files(run, profile=True)
    run_options.add_shortcuts(run, with_load=True)
    run_options.add_console(run)
    run_options.add_series(run)
    run_options.add_allow_writes(run)
    run_options.add_ending(run)
    schema = add_verb(verbs, "schema", "create the tables, or check those that are there")
    _add_data(schema)
    run_options.add_recreate(schema)
    load = add_verb(verbs, "load", "load the documents; goes on where an interrupted load ended")
    _add_data(load)
    run_options.add_recreate(load)
    verify = add_verb(verbs, "verify", "compare the documents with what they have to be, and settle the state")
    _add_data(verify)
    verify.add_argument(
        "--verification",
        choices=["all", "written"],
        help="read every document, or those that the run wrote (default: as the run's profile says, or all)",
    )
    _add_report_and_compare(verbs)
    _add_calibrate_and_parity(verbs)
    acceptance.add(verbs)
    history.add(verbs)
    load_hosts.add(verbs)
    _add_server_metrics(verbs)
    _add_scrape_config(verbs)
    workload.add(verbs, DEFAULT_TARGET)
    ci.add(verbs)
    add_verb(verbs, "test", "run the tests of the checkout (done by the launcher)")
    return parser


def _add_report_and_compare(verbs: Verbs) -> None:
    report = add_verb(verbs, "report", "write summary.json and report.html of a bundle again")
    report.add_argument("bundle", nargs="?", help="directory of the bundle (default: the latest of runs/)")
    compare = add_verb(verbs, "compare", "compare runs, or the runs of a series again", _COMPARE_EPILOG)
    compare.add_argument(
        "runs", nargs="+", metavar="RUN", help="a bundle or a series, by its name in runs/ or its path"
    )
    compare.add_argument("--into", metavar="DIR", help="where compare.html and compare.json go")
    for verb in (report, compare):
        verb.add_argument(
            "--static", metavar="DIR", help="also write the page there without scripts, for viewers such as Jenkins'"
        )


def _add_calibrate_and_parity(verbs: Verbs) -> None:
    calibrate = add_verb(verbs, "calibrate", "what the harness costs, against a bare loop on the driver")
    _add_data(calibrate)
    calibrate.add_argument(
        "--rounds", type=int, metavar="N", help="interleaved rounds (default: 20; fewer decide nothing)"
    )
    parity = add_verb(
        verbs, "parity", "whether targets give the same answers; in scratch tables, never your data", _PARITY_EPILOG
    )
    parity.add_argument("--targets", "-t", required=True, metavar="A,B", help="files of taurus/targets, two or more")
    parity.add_argument("--workload", "-w", default=DEFAULT_WORKLOAD, help="of taurus/workloads (%(default)s)")
    parity.add_argument("--calls", type=int, default=200, metavar="N", help="of each transaction (%(default)s)")
    add_overrides(parity)


def _add_server_metrics(verbs: Verbs) -> None:
    metrics = add_verb(
        verbs, "server-metrics", "serve what the target's servers report, for Prometheus", _SERVER_METRICS_EPILOG
    )
    _add_files(metrics)
    metrics.add_argument(
        "--listen", default=DEFAULT_SERVER_METRICS, metavar="HOST:PORT", help="where to serve /metrics (%(default)s)"
    )


def _add_scrape_config(verbs: Verbs) -> None:
    verb = add_verb(verbs, "scrape-config", "print what a store has to scrape to see runs live", scrape.EPILOG)
    scrape.add(verb)
    add_overrides(verb)


def _parser(name: str, text: str, epilog: str | None = None) -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=name, description=text, epilog=epilog, formatter_class=form)


def _add_files(parser: argparse.ArgumentParser, profile: bool = False) -> None:
    parser.add_argument("--target", "-t", default=DEFAULT_TARGET, help="a file of taurus/targets (%(default)s)")
    parser.add_argument(
        "--workload", "-w", default=DEFAULT_WORKLOAD, help="of taurus/workloads, or a folder's path (%(default)s)"
    )
    if profile:
        parser.add_argument("--profile", "-p", default=DEFAULT_PROFILE, help="of taurus/profiles (%(default)s)")
        parser.add_argument("--verbose", "-v", action="store_true", help="show what Taurus logs")
    add_overrides(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    run_options.add_shortcuts(parser)


def _check_consents(options: argparse.Namespace, makes_anew: bool) -> None:
    """Refuse a consent where nothing is dropped: it would be taken for something that it does not do."""
    given = "--discard-unsettled" if getattr(options, "discard_unsettled", []) else "--replace-foreign"
    if not makes_anew and (getattr(options, "discard_unsettled", []) or getattr(options, "replace_foreign", False)):
        where = "a series (--repeat, --vary or --interleave-with)" if options.verb == "run" else "--recreate"
        raise Problem(f"{given}: only together with {where}, for nothing is dropped otherwise")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb and return the exit code."""
    parser = build_parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
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
        for line in str(problem).splitlines():
            print(f"shardload: {line}", file=sys.stderr)
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
            print(f"shardload: {problem}", file=sys.stderr)
    return exit_codes.WRONG_USE


def _execute(script: str, arguments: Sequence[str], places: Places) -> int:
    """Become a script of JMeter's home; load hosts have these without Python."""
    path = places.jmeter.with_name(script)
    os.chdir(places.root)
    try:
        os.execv(path, [str(path), *arguments])
    except OSError as error:
        print(f"shardload: cannot run {places.show(path)}: {error.strerror}", file=sys.stderr)
        return exit_codes.WRONG_USE


def _perform(options: argparse.Namespace, places: Places) -> int:
    """Perform the verb. Its module is imported here, so that --help does not wait for Taurus."""
    from shardload.config import commands
    from shardload.config.secrets import refuse_in_options
    from shardload.config.workload import consent

    if getattr(options, "results", None):
        from shardload.verbs.ci.results import empty

        empty(options.results, places)
    if getattr(options, "allow_commands", False):
        commands.allow()
    if getattr(options, "allow_writes", False):
        consent.allow()
    refuse_in_options("-o", getattr(options, "option", ()))
    refuse_in_options("--vary", getattr(options, "vary", ()))
    if hasattr(options, "options"):
        from shardload.verbs.ci.overrides import settle

        settle(options, places)
    is_series = options.verb == "run" and bool(options.vary or options.interleave_with or options.repeat is not None)
    _check_consents(options, is_series or getattr(options, "recreate", False))
    if getattr(options, "discard_unsettled", []):
        from shardload.verbs.ci.consents import named_runs

        options.discard_unsettled = named_runs(options.discard_unsettled, places)
    if options.verb == "run":
        return _run(options, places, is_series)
    if options.verb == "compare":
        from shardload.verbs.compare import compare

        return compare(options, places)
    if options.verb == "scrape-config":
        from shardload.verbs.scrape_config import scrape_config

        return scrape_config(options, places)
    return _perform_other(options, places)


def _run(options: argparse.Namespace, places: Places, is_series: bool) -> int:
    if is_series:
        from shardload.verbs.series_run import run_series as perform
    else:
        from shardload.verbs.run import run as perform
    code = perform(options, places)
    if code == exit_codes.MISSED and options.allow_missed_criteria:
        print(f"exit code {exit_codes.OK}, not {code}: --allow-missed-criteria")
        return exit_codes.OK
    return code


def _perform_other(options: argparse.Namespace, places: Places) -> int:
    """Perform a verb that neither runs nor compares."""
    if options.verb == "publish":
        from shardload.verbs.publish import publish

        return publish(options, places)
    if options.verb == "export":
        from shardload.verbs.export import export

        return export(options, places)
    if options.verb == "results":
        from shardload.verbs.ci.results import results

        return results(options, places)
    if options.verb == "history":
        from shardload.verbs.history import verb

        return verb.history(options, places)
    if options.verb == "acceptance":
        from shardload.verbs.acceptance import verb as acceptance_verb

        return acceptance_verb.acceptance(options, places)
    if options.verb == "package":
        from shardload.verbs.hosts import make_package

        return make_package(options, places)
    from shardload.verbs.verbs import perform

    os.chdir(places.root)
    return perform(options, places)
