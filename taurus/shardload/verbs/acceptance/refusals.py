"""Checks of refusals: the exit code is exactly 1, one line says what is wrong, and nothing was started."""

from __future__ import annotations

from shardload import exit_codes
from shardload.verbs.acceptance.calls import Answer, Failed
from shardload.verbs.acceptance.loads import SEED, data_of
from shardload.verbs.acceptance.model import NotApplicable, Scene

_WRONG = "shardload-acceptance-wrong-password"
# Another option than the target's own, for servers of which the options tell nothing.
_TOPOLOGIES = {"sharded": "single", "replica-set": "sharded", "single": "sharded"}


def _judge(answer: Answer, *named: str) -> str:
    """Return the one line of a refusal that names one of these words."""
    lines = [line for line in answer.output.splitlines() if line.startswith("shardload: ")]
    if answer.code != exit_codes.WRONG_USE or len(lines) != 1:
        raise Failed(f"code {answer.code} with {len(lines)} lines, not 1 with one: {answer.line}", answer.code)
    if not any(word in lines[0] for word in named):
        raise Failed(f"code 1, but the line names none of {', '.join(named)}: {lines[0]}", answer.code)
    return f"code 1: {lines[0]}"


def _refused(scene: Scene, verb: str, override: str, *named: str) -> str:
    return _judge(scene.caller.call([verb, *data_of(scene), "-o", override]), *named)


def check_password(scene: Scene) -> str:
    """Give a wrong password in the variable that the target names."""
    if scene.section.get("embedded"):
        raise NotApplicable("shardload generates the password of an embedded server itself")
    variable = scene.section.get("password-env")
    if not variable:
        raise NotApplicable("the target names no password")
    answer = scene.caller.call(["schema", *data_of(scene)], {str(variable): _WRONG})
    if answer.code == exit_codes.OK:
        raise NotApplicable("the server lets this user in with any password (trust authentication)")
    return _judge(answer, "password", "user")


def check_topology(scene: Scene) -> str:
    """Ask for a cluster of another kind than there is."""
    if scene.topology:
        other = _TOPOLOGIES.get(scene.topology, "sharded")
        return _refused(scene, "schema", f"target.options.topology={other}", "topology", "shard")
    if "Citus" not in scene.server:
        return _refused(scene, "schema", "schema.distribution=id", "citus")
    if "," in str(scene.section.get("url")):
        raise NotApplicable("the target names several hosts, of which any may be left out")
    return _refused(scene, "schema", "target.options.balance=others", "balance", "hosts", "workers")


def check_option(scene: Scene) -> str:
    """Misspell an option of the target, and one of the schema."""
    keys = [f"{section}.acceptance-probe" for section in ("target.options", "schema")]
    return "; ".join(_refused(scene, "schema", f"{key}=1", key) for key in keys)


def check_value(scene: Scene) -> str:
    """Give an option a value that nobody knows."""
    return _refused(scene, "schema", "schema.index=acceptance-probe", "known are", "did you mean")


def check_other_data(scene: Scene) -> str:
    """Ask for documents that differ from the existing ones."""
    return _refused(scene, "load", f"workload.seed={SEED + 1}", "seed")


def check_foreign(scene: Scene) -> str:
    """Meet a table or collection that shardload did not make, in the database of another target file."""
    target = scene.options.foreign_target
    if not target:
        raise NotApplicable("no --foreign-target was given")
    words = ["load", "--target", target, *data_of(scene)[2:]]
    answers = (scene.caller.call([*words, *flag]) for flag in ([], ["--recreate"]))
    return "; with --recreate: ".join(_judge(answer, "use another database") for answer in answers)
