"""Checks of refusals: the exit code is exactly 1, one line says what is wrong, and nothing was started."""

from __future__ import annotations

from collections.abc import Sequence

from shardload import exit_codes
from shardload.processes.hints import as_options
from shardload.verbs.acceptance import loads
from shardload.verbs.acceptance.model import Answer, Failed, NotApplicable, Scene

_WRONG = "shardload-acceptance-wrong-password"
# Another option than the target's own, for servers of which the options tell nothing.
_TOPOLOGIES = {"sharded": "single", "replica-set": "sharded", "single": "sharded"}


def _refused(scene: Scene, words: Sequence[str], named: Sequence[str]) -> str:
    return _judge(scene.caller.call(words), named)


def _judge(answer: Answer, named: Sequence[str]) -> str:
    """Return the one line of a refusal that names one of these words."""
    lines = [line for line in answer.output.splitlines() if line.startswith("shardload: ")]
    if answer.code != exit_codes.WRONG_USE or len(lines) != 1:
        raise Failed(f"code {answer.code} with {len(lines)} lines, not 1 with one: {answer.line}", answer.code)
    if not any(word in lines[0] for word in named):
        raise Failed(f"code 1, but the line names none of {', '.join(named)}: {lines[0]}", answer.code)
    return f"code 1: {lines[0]}"


def check_password(scene: Scene) -> str:
    """Give a wrong password in the variable that the target names."""
    if scene.section.get("embedded"):
        raise NotApplicable("shardload generates the password of an embedded server itself")
    variable = scene.section.get("password-env")
    if not variable:
        raise NotApplicable("the target names no password")
    answer = scene.caller.call(["schema", *loads.data_of(scene)], environment={str(variable): _WRONG})
    if answer.code == exit_codes.OK:
        raise NotApplicable("the server lets this user in with any password (trust authentication)")
    return _judge(answer, ["password", "user"])


def check_topology(scene: Scene) -> str:
    """Ask for a cluster of another kind than there is."""
    if scene.topology:
        override = f"target.options.topology={_TOPOLOGIES.get(scene.topology, 'sharded')}"
        wanted = ["topology", "shard"]
    elif "Citus" in scene.server:
        override, wanted = "target.options.balance=others", ["balance", "hosts", "workers"]
        if "," in str(scene.section.get("url")):
            raise NotApplicable("the target names several hosts, of which any may be left out")
    else:
        override, wanted = "schema.distribution=id", ["Citus"]
    return _refused(scene, ["schema", *loads.data_of(scene), "-o", override], wanted)


def check_option(scene: Scene) -> str:
    """Misspell an option of the target, and one of the schema."""
    texts = []
    for section in ("target.options", "schema"):
        key = f"{section}.acceptance-probe"
        texts.append(_refused(scene, ["schema", *loads.data_of(scene), "-o", f"{key}=1"], [key]))
    return "; ".join(texts)


def check_value(scene: Scene) -> str:
    """Give an option a value that nobody knows."""
    words = ["schema", *loads.data_of(scene), "-o", "schema.index=acceptance-probe"]
    return _refused(scene, words, ["known are", "did you mean"])


def check_other_data(scene: Scene) -> str:
    """Ask for documents that differ from the existing ones."""
    words = ["load", *loads.data_of(scene), *as_options([f"workload.seed={loads.SEED + 1}"])]
    return _refused(scene, words, ["seed"])


def check_foreign(scene: Scene) -> str:
    """Meet a table or collection that shardload did not make, in the database of another target file."""
    target = scene.options.foreign_target
    if not target:
        raise NotApplicable("no --foreign-target was given")
    data = ["--target", target, *loads.data_of(scene)[2:]]
    texts = [_refused(scene, ["load", *data, *flag], ["use another database"]) for flag in ([], ["--recreate"])]
    return "; with --recreate: ".join(texts)
