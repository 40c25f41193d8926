"""Checks that make load or look at what it left: run, evidence, rights, verification, parity, unsettled data."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.paths.find import name_of_argument
from shardload.processes.hints import as_options, without_run_keys
from shardload.results.handover import ResultsFolder
from shardload.results.lookup import read_json
from shardload.verbs.acceptance.calls import Answer, Failed
from shardload.verbs.acceptance.model import SLOW, NotApplicable, Scene

# Marks the data sets of acceptance: a data set with this seed may be dropped without asking.
SEED = 140_414
_CRITERIA = 'reporting.1.criteria=["fail>1%, continue as failed"]'
_RIGHTS = re.compile(
    r"permission denied|must be (owner|superuser|a member)|not authori[sz]ed|not allowed to|insufficient privilege"
    r"|requires? (the )?(role|privilege)|GRANT \w+|clusterMonitor|clusterManager|may not (?:list|read)",
    re.IGNORECASE,
)
# Of a server that has no such figure, whatever the rights of the user.
_NO_RIGHT = "does not have it"
_KILL_AFTER_SECONDS = 3
# Of the console of server-metrics, ten a second.
_LOOKS = 50


def data_of(scene: Scene) -> list[str]:
    """Return the arguments that choose target, workload and data, for every verb."""
    data = {"data.documents": scene.size.documents, "data.tenants": scene.size.tenants, "seed": SEED}
    overrides = [f"workload.{key}={value}" for key, value in data.items()]
    return ["--target", scene.target, *as_options([*overrides, *without_run_keys(scene.options.option)])]


def run(
    scene: Scene,
    seconds: int,
    overrides: Sequence[str] = (),
    watch: Callable[[Path], str | None] | None = None,
    data: Sequence[str] | None = None,
) -> tuple[Answer, Path | None]:
    """Run the smoke profile for so many seconds; ``watch`` sees its bundle while it runs; ``data`` names other data."""
    keys = {"warm-up": "1s", "ramp-up": "1s", "hold-for": f"{seconds}s", "throughput": scene.size.rate}
    load = [*(f"execution.0.{key}={value}" for key, value in keys.items()), _CRITERIA]
    load += [option for option in scene.options.option if option not in without_run_keys([option])]
    with tempfile.TemporaryDirectory(prefix="shardload-acceptance-") as folder:
        results = ResultsFolder(Path(folder))

        def look(output: str) -> str | None:
            bundle = results.run(scene.places)
            return watch(bundle) if watch and bundle else None

        words = ["run", *(data or data_of(scene)), *as_options([*load, *overrides]), "--results", folder]
        try:
            answer = scene.caller.call(words, watch=look if watch else None)
        finally:
            bundle = results.run(scene.places)
            scene.runs += [bundle.name] if bundle else []
    scene.told.append(answer.output)
    return answer, bundle


def read(bundle: Path | None, name: str) -> dict[str, Any]:
    """Return a file of a bundle; empty where it is not there."""
    return read_json(bundle / name) if bundle else {}


def seconds_of(bundle: Path) -> list[dict[str, Any]]:
    """Return the whole lines of the ledger so far: that of this machine's generator, or the sum of all load hosts."""
    ledgers = [file.read_text(encoding="utf-8").split("\n")[:-1] for file in (bundle / "latencies").glob("*.jsonl")]
    return [json.loads(line) for line in max(ledgers, key=len, default=[])]


def check_run(scene: Scene) -> str:
    """Run for 30 s and have it judged."""
    answer, scene.bundle = run(scene, 30)
    summary = read(scene.bundle, "summary.json")
    verdict, headline = summary.get("verdict") or {}, summary.get("headline") or {}
    if answer.code != exit_codes.OK:
        raise answer.failure("run", "; ".join(map(str, verdict.get("reasons") or [])))
    p99 = (headline.get("latency_ns") or {}).get("p99")
    rate = f"{float(headline.get('achieved_per_second') or 0):.1f}/s of {headline.get('offered_per_second')}/s"
    return f"verdict {verdict.get('name')}, {rate}, {f'p99 {p99 / 1e6:.1f} ms' if p99 else 'too few samples for p99'}"


def check_evidence(scene: Scene) -> str:
    """Look at the plans that the server explained before the run."""
    plans = read(scene.bundle, "evidence.json").get("plans") or {}
    if not plans:
        raise Failed("the bundle of the run has no plans")
    words = {name: f"{name}: {_access(plan)}" for name, plan in plans.items()}
    if scene.server.startswith(SLOW):
        raise NotApplicable(f"no index of this server serves a find. {'; '.join(words.values())}")
    bad = [words[name] for name, plan in plans.items() if plan.get("access") in (None, "full-scan", "unknown")]
    if bad:
        raise Failed(f"without an index or not explained: {'; '.join(bad)}")
    return "; ".join(words.values())


def _access(plan: dict[str, Any]) -> str:
    access = "no read" if plan.get("access") == "none" else str(plan.get("access"))
    shards = plan.get("shards")
    named = " ".join([access, ", ".join(plan.get("indexes") or [])]).strip()
    return named if shards == "not sharded" else f"{named} ({shards})"


def check_rights(scene: Scene) -> str:
    """Look for rights that were missing in everything that the commands so far have printed or noted."""
    noted = [read(scene.bundle, name) for name in ("environment.json", "evidence.json", "summary.json")]
    # Each line of their texts on a line of its own.
    told = json.dumps(noted, indent=0, ensure_ascii=False).replace("\\n", "\n")
    _refuse_missing_rights([*scene.told, told])
    return "schema, load, run, evidence and verification asked for no right that the user lacks"


def _refuse_missing_rights(texts: Sequence[str]) -> None:
    """Fail with the lines that speak of a right that was missing, each once."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    missing = [line[:300] for line in lines if _RIGHTS.search(line) and _NO_RIGHT not in line]
    if missing:
        raise Failed("rights that were missing: " + " | ".join(list(dict.fromkeys(missing))[:10]))


def check_monitoring(scene: Scene) -> str:
    """Serve metrics of the servers until they were asked once, and read what they did not report."""
    if scene.section.get("embedded"):
        raise NotApplicable("an embedded server runs only during a run or a load")
    seen = 0

    def stop(output: str) -> str | None:
        nonlocal seen
        # What is not reported is noted with the first answers, right after the address.
        seen += "serving http" in output
        return "SIGTERM" if seen and seen % _LOOKS == 0 else None

    answer = scene.caller.call(["server-metrics", "--target", scene.target, "--listen", "127.0.0.1:0"], watch=stop)
    if answer.code:
        raise answer.failure("server-metrics")
    _refuse_missing_rights([answer.output])
    lines = [line for line in answer.output.splitlines() if "not reported" in line]
    served = re.search(r"\((\d+ servers?)\)", answer.output)
    if not served:
        raise Failed("it reached no server: " + "; ".join(lines or [answer.line]))
    return "; ".join([f"{served[1]} reported", *lines])


def check_verification(scene: Scene) -> str:
    """Read every document again."""
    answer = scene.call("verify", *data_of(scene), "--verification", "all")
    line = answer.first("verification: ")
    if answer.code or not line.startswith("verification: clean"):
        raise answer.failure("verify", line)
    return line


def check_unsettled(scene: Scene) -> str:
    """Kill a run in mid-load: the next one is refused, and verification settles the data set from the journals."""

    def kill(bundle: Path) -> str | None:
        return "SIGKILL" if len(seconds_of(bundle)) >= _KILL_AFTER_SECONDS else None

    scene.is_unsettled = True
    answer, bundle = run(scene, 60, watch=kill)
    if bundle is None or answer.code >= 0:
        raise Failed(f"the run ended before it could be killed, code {answer.code}: {answer.line}", answer.code)
    refused = scene.caller.call(["load", *data_of(scene), "--recreate"])
    settled = settle(scene)
    if refused.code != exit_codes.WRONG_USE or "no verification has settled it" not in refused.output:
        raise Failed(f"load --recreate was not refused, code {refused.code}: {refused.line}", refused.code)
    if settled.code:
        raise settled.failure("verify", settled.first("verification: "))
    return f"code 1: {refused.line}; then verify: {settled.first('verification: ')}"


def settle(scene: Scene) -> Answer:
    """Have verification settle the data set after a run that was killed."""
    answer = scene.caller.call(["verify", *data_of(scene)])
    scene.is_unsettled = answer.code != exit_codes.OK
    return answer


def check_parity(scene: Scene) -> str:
    """Compare each answer with those of the embedded PostgreSQL, or of the fake of MongoDB if that is the target."""
    other = "embedded-postgresql"
    if other == f"embedded-{scene.section.get('embedded')}":
        other = "embedded-mongodb"
    data = [f"workload.data.documents={min(2000, scene.size.documents * 2)}", "workload.data.tenants=4"]
    both = ["--targets", f"{scene.target},{other}", "--calls", str(scene.size.calls)]
    answer = scene.call("parity", *both, *as_options(data))
    lines = answer.output.splitlines()
    if answer.code:
        different = [line.split()[0] for line in lines if line.endswith("different")]
        told = [line.strip() for line in lines if line.startswith(f"    {name_of_argument(scene.target)} ")]
        why = f"{', '.join(different)}; the first of them: {told[0]}" if different and told else ""
        raise answer.failure("parity", why or answer.first(" equal: "))
    return f"{answer.first(' equal: ').partition(':')[0]} with {other}"
