"""Checks of servers and tables: they answer, the data set is acceptance's own, every schema variant works."""

from __future__ import annotations

from functools import partial

from shardload import exit_codes
from shardload.config.problem import Problem
from shardload.processes.hints import as_options
from shardload.verbs.acceptance import loads
from shardload.verbs.acceptance.model import Answer, Check, Failed, NotApplicable, Scene
from shardload.verbs.acceptance.variants import OF_ONE_CLUSTER, VARIANTS, Variant

# How a server without transactions of several statements refuses a folder.
_NO_TRANSACTIONS = "does not support transactions of several statements"
_FOREIGN = ("--recreate", "--discard-unsettled", "--replace-foreign")


def check_target(scene: Scene) -> str:
    """Ask the servers in their own protocol."""
    answer = scene.caller.call(["targets", scene.target, "--check", "--timeout", "10"])
    scene.told.append(answer.output)
    if answer.code:
        raise Failed(f"code {answer.code}: {answer.line}", answer.code)
    return "they answer"


def check_tables(scene: Scene) -> str:
    """Make the tables as the target file says, unless there are data that nobody agreed to drop.

    :raises Problem: the database holds documents that acceptance did not make; nothing was changed
    """
    # An acceptance before this one may have left as much as such a server can do with; nobody knows it yet.
    for scene.size in (loads.SIZE, loads.SMALL):
        answer = scene.caller.call(["schema", *loads.data_of(scene), *_consents(scene)])
        is_refused = answer.code == exit_codes.WRONG_USE and any(flag in answer.output for flag in _FOREIGN)
        if not is_refused:
            break
    scene.told.append(answer.output)
    line = next((line for line in answer.output.splitlines() if ": tables " in line), "")
    if is_refused:
        raise Problem(
            f"{scene.target}: {answer.output.partition('shardload: ')[2].splitlines()[0]}; acceptance drops nothing of"
            " others: name an empty database in the target file, or agree with --recreate"
        )
    if answer.code or not line:
        raise Failed(f"schema ended with code {answer.code}: {answer.line}", answer.code)
    scene.server = line.rpartition(": tables ")[0]
    scene.size = loads.size_of(scene.server)
    return line


def _consents(scene: Scene) -> list[str]:
    """Return what the user agreed to lose; only the first command gets it, before anything is made."""
    if not scene.options.recreate:
        return []
    runs = [part for run in scene.options.discard_unsettled for part in ("--discard-unsettled", run)]
    return ["--recreate", *runs, *(["--replace-foreign"] if scene.options.replace_foreign else [])]


def load_anew(scene: Scene, overrides: list[str]) -> Answer:
    """Drop the data set of acceptance and load it with other options; its own runs may be given up."""
    runs = [part for run in scene.runs for part in ("--discard-unsettled", run)]
    foreign = ["--replace-foreign"] if scene.is_folder else []
    answer = scene.caller.call(["load", "--recreate", *runs, *foreign, *loads.data_of(scene), *as_options(overrides)])
    scene.told.append(answer.output)
    if answer.code == exit_codes.OK:
        scene.is_folder = False
        if not overrides:
            scene.is_variant = scene.is_unsettled = False
    return answer


def check_variant(variant: Variant, scene: Scene) -> str:
    """Make the table so, load it, run for some seconds, verify."""
    scene.is_variant = True
    answer = load_anew(scene, variant.overrides)
    if answer.code == exit_codes.WRONG_USE and variant.lacks and variant.lacks in answer.output:
        raise NotApplicable(f"the server has none: {_refusal(answer)}")
    if answer.code:
        raise Failed(f"load ended with code {answer.code}: {_refusal(answer)}", answer.code)
    answer, bundle = loads.run(scene, 3, variant.overrides)
    verdict = loads.verdict_of(bundle)
    # How fast it is, is another question.
    judged = (exit_codes.OK, exit_codes.MISSED, exit_codes.INVALID)
    if answer.code not in judged or verdict.get("verdict") != "clean":
        raise Failed(f"run ended with code {answer.code}: {answer.line}", answer.code)
    return f"loaded, run, {verdict.get('walked'):,} documents verified, 0 wrong"


def check_statements(scene: Scene) -> str:
    """Load and run taurus/acceptance, with transactions of several statements where the server has them."""
    folder = ["--target", scene.target, "--workload", str(scene.places.taurus / "acceptance")]
    runs = [part for run in scene.runs for part in ("--discard-unsettled", run)]
    scene.is_variant = scene.is_folder = True
    # The table that it replaces is acceptance's own: the check "load" has made it.
    answer = scene.caller.call(["load", "--recreate", *runs, "--replace-foreign", *folder])
    scene.told.append(answer.output)
    if answer.code:
        raise Failed(f"load ended with code {answer.code}: {_refusal(answer)}", answer.code)
    answer, bundle = loads.run(scene, 10, ["execution.0.scenario=transfers"], data=folder)
    is_single = answer.code == exit_codes.WRONG_USE and _NO_TRANSACTIONS in answer.output
    if is_single:
        answer, bundle = loads.run(scene, 10, data=folder)
    verdict = loads.verdict_of(bundle)
    if answer.code != exit_codes.OK or verdict.get("verdict") != "clean":
        raise Failed(f"run ended with code {answer.code}: {answer.line}", answer.code)
    back = load_anew(scene, [])
    if back.code:
        raise Failed(f"load of the documents after it ended with code {back.code}: {_refusal(back)}", back.code)
    return f"checks clean, {'the server has no' if is_single else 'with'} transactions of several statements"


def check_load(scene: Scene) -> str:
    """Load the data set as the target file says."""
    answer = load_anew(scene, [])
    if answer.code:
        raise Failed(f"load ended with code {answer.code}: {_refusal(answer)}", answer.code)
    return next((line for line in answer.output.splitlines() if " documents loaded" in line), answer.line)


def _refusal(answer: Answer) -> str:
    return next((line for line in answer.output.splitlines() if line.startswith("shardload: ")), answer.line)


def _explain(reason: str, scene: Scene) -> str:
    raise NotApplicable(reason)


def schema_checks() -> list[Check]:
    """Return a check for each documented value of the section ``schema``."""
    of_clusters = [
        Check(
            f"schema-{key}",
            f"a table made with schema.{key} works",
            partial(_explain, reason),
            ("tables",),
            (),
            systems,
        )
        for key, (reason, systems) in OF_ONE_CLUSTER.items()
    ]
    variants = [
        Check(
            each.name,
            f"a table made with schema.{each.key}: {each.value} takes load, run and verification",
            partial(check_variant, each),
            ("tables",),
            systems=each.systems,
        )
        for each in VARIANTS
    ]
    return [*variants, *of_clusters]
