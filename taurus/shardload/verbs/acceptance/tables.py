"""Checks of servers and tables: they answer, the data set is acceptance's own, every schema variant works."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shardload import exit_codes
from shardload.config.problem import Problem
from shardload.processes.hints import as_options
from shardload.verbs.acceptance import loads
from shardload.verbs.acceptance.calls import Answer
from shardload.verbs.acceptance.model import SIZE, SLOW, SMALL, Check, NotApplicable, Scene
from shardload.verbs.acceptance.variants import SHARDED, VARIANTS, Variant

# How a server without transactions of several statements refuses a folder.
_NO_TRANSACTIONS = "does not support transactions of several statements"
_FOREIGN = ("--recreate", "--discard-unsettled", "--replace-foreign")


def check_target(scene: Scene) -> str:
    """Ask the servers in their own protocol."""
    answer = scene.call("targets", scene.target, "--check", "--timeout", "10")
    if answer.code:
        raise answer.failure("targets")
    return "they answer"


def check_tables(scene: Scene) -> str:
    """Make the tables as the target file says, unless there are data that nobody agreed to drop.

    :raises Problem: the database holds documents that acceptance did not make; nothing was changed
    """
    # An acceptance before this one may have left as much as such a server can do with; nobody knows it yet.
    for scene.size in (SIZE, SMALL):
        answer = scene.caller.call(["schema", *loads.data_of(scene), *_consents(scene)])
        is_refused = answer.code == exit_codes.WRONG_USE and any(flag in answer.output for flag in _FOREIGN)
        if not is_refused:
            break
    scene.told.append(answer.output)
    line = answer.first(": tables ")
    if is_refused:
        raise Problem(
            f"{scene.target}: {answer.output.partition('shardload: ')[2].splitlines()[0]}; acceptance drops nothing of"
            " others: name an empty database in the target file, or agree with --recreate"
        )
    if answer.code or ": tables " not in line:
        raise answer.failure("schema")
    scene.server = line.rpartition(": tables ")[0]
    scene.size = SMALL if scene.server.startswith(SLOW) else SIZE
    return line


def _consents(scene: Scene) -> list[str]:
    """Return what the user agreed to lose; only the first command gets it, before anything is made."""
    if not scene.options.recreate:
        return []
    runs = [part for run in scene.options.discard_unsettled for part in ("--discard-unsettled", run)]
    return ["--recreate", *runs, *(["--replace-foreign"] if scene.options.replace_foreign else [])]


def load_anew(scene: Scene, overrides: Sequence[str] = (), folder: Sequence[str] = ()) -> Answer:
    """Replace the data set of acceptance, with other options or by that of a folder; its own runs may be given up."""
    is_other = bool(overrides or folder)
    scene.is_folder |= bool(folder)
    scene.is_variant |= is_other
    runs = [part for run in scene.runs for part in ("--discard-unsettled", run)]
    foreign = ["--replace-foreign"] if scene.is_folder else []
    data = folder or loads.data_of(scene)
    answer = scene.call("load", "--recreate", *runs, *foreign, *data, *as_options(overrides))
    if answer.code == exit_codes.OK:
        scene.is_folder = bool(folder)
        scene.is_variant &= is_other
        scene.is_unsettled &= is_other
    return answer


def check_load(scene: Scene) -> str:
    """Load the data set as the target file says."""
    answer = load_anew(scene)
    if answer.code:
        raise answer.failure("load")
    return answer.first(" documents loaded")


def check_variant(variant: Variant, scene: Scene) -> str:
    """Make the table so, load it, run for some seconds, verify."""
    overrides = [*variant.beside, f"schema.{variant.key}={variant.value}"]
    answer = load_anew(scene, overrides)
    if answer.code == exit_codes.WRONG_USE and variant.lacks and variant.lacks in answer.output:
        raise NotApplicable(f"the server has none: {answer.line}")
    if answer.code:
        raise answer.failure("load")
    answer, bundle = loads.run(scene, 3, overrides)
    verification = loads.read(bundle, "verification.json")
    # How fast it is, is another question.
    judged = (exit_codes.OK, exit_codes.MISSED, exit_codes.INVALID)
    if answer.code not in judged or verification.get("verdict") != "clean":
        raise answer.failure("run")
    return f"loaded, run, {verification.get('walked'):,} documents verified, 0 wrong"


def check_statements(scene: Scene) -> str:
    """Load and run taurus/acceptance, with transactions of several statements where the server has them."""
    folder = ["--target", scene.target, "--workload", str(scene.places.taurus / "acceptance")]
    # The table that it replaces is acceptance's own: the check "load" has made it.
    answer = load_anew(scene, folder=folder)
    if answer.code:
        raise answer.failure("load")
    answer, bundle = loads.run(scene, 10, ["execution.0.scenario=transfers"], data=folder)
    is_single = answer.code == exit_codes.WRONG_USE and _NO_TRANSACTIONS in answer.output
    if is_single:
        answer, bundle = loads.run(scene, 10, data=folder)
    if answer.code != exit_codes.OK or loads.read(bundle, "verification.json").get("verdict") != "clean":
        raise answer.failure("run")
    check_load(scene)
    return f"checks clean, {'the server has no' if is_single else 'with'} transactions of several statements"


def _check_zones(scene: Scene) -> str:
    raise NotApplicable("its values name shards of one cluster; set it in the target file, then every check uses it")


def schema_checks() -> list[Check]:
    """Return a check for each documented value of the section ``schema``."""
    takes = "a table made with schema.{0.key}: {0.value} takes load, run and verification"
    each = [
        Check(f"schema-{v.key}-{v.value}", takes.format(v), partial(check_variant, v), ("tables",), systems=v.systems)
        for v in VARIANTS
    ]
    return [
        *each,
        Check("schema-zones", "a table made with schema.zones works", _check_zones, ("tables",), (), SHARDED),
    ]
