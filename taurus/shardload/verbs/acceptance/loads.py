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
from shardload.verbs.acceptance.model import Answer, Failed, NotApplicable, Scene, Size

# Marks the data sets of acceptance: a data set with this seed may be dropped without asking.
SEED = 140_414
SIZE = Size(documents=20_000, tenants=100, rate=100, calls=100)
# No index of FerretDB 1 serves a find: each one reads all documents.
SMALL = Size(documents=100, tenants=4, rate=20, calls=20)
_SLOW = "FerretDB 1"
_CRITERIA = 'reporting.1.criteria=["fail>1%, continue as failed"]'
_RIGHTS = re.compile(
    r"permission denied|must be (owner|superuser|a member)|not authori[sz]ed|not allowed to|insufficient privilege"
    r"|requires? (the )?(role|privilege)|GRANT \w+|clusterMonitor|clusterManager|may not (?:list|read)",
    re.IGNORECASE,
)
_KILL_AFTER_SECONDS = 3
# What a target is compared with, and what that one is compared with.
_OTHERS = ("embedded-postgresql", "embedded-mongodb")
# Of the console of server-metrics, ten a second.
_LOOKS = 50
# Of a server that has no such figure, whatever the rights of the user.
_NO_RIGHT = "does not have it"


def size_of(server: str) -> Size:
    """Return how much data and load a server can do with."""
    return SMALL if server.startswith(_SLOW) else SIZE


def data_of(scene: Scene) -> list[str]:
    """Return the arguments that choose target, workload and data, for every verb."""
    size = scene.size or SIZE
    data = {"documents": size.documents, "tenants": size.tenants}
    overrides = [f"workload.data.{key}={value}" for key, value in data.items()]
    overrides += [f"workload.seed={SEED}", *without_run_keys(scene.options.option)]
    return ["--target", scene.target, *as_options(overrides)]


def run(
    scene: Scene,
    seconds: int,
    overrides: Sequence[str] = (),
    watch: Callable[[Path], str | None] | None = None,
    data: Sequence[str] | None = None,
) -> tuple[Answer, Path | None]:
    """Run the smoke profile for so many seconds; ``watch`` sees its bundle while it runs; ``data`` names other data."""
    load = [f"execution.0.{key}=1s" for key in ("warm-up", "ramp-up")]
    load += [f"execution.0.hold-for={seconds}s", f"execution.0.throughput={(scene.size or SIZE).rate}", _CRITERIA]
    load += [option for option in scene.options.option if option not in without_run_keys([option])]
    with tempfile.TemporaryDirectory(prefix="shardload-acceptance-") as folder:
        results = ResultsFolder(Path(folder))

        def look(output: str) -> str | None:
            bundle = results.run(scene.places)
            return watch(bundle) if watch and bundle else None

        words = [
            "run",
            *(data_of(scene) if data is None else data),
            *as_options([*load, *overrides]),
            "--results",
            folder,
        ]
        try:
            answer = scene.caller.call(words, watch=look if watch else None)
        finally:
            bundle = results.run(scene.places)
            scene.runs += [bundle.name] if bundle else []
    scene.told.append(answer.output)
    return answer, bundle


def verdict_of(bundle: Path | None) -> dict[str, Any]:
    """Return what verification said; empty where it did not run."""
    return read(bundle, "verification.json")


def read(bundle: Path | None, name: str) -> dict[str, Any]:
    """Return a file of a bundle; empty where it is not there."""
    try:
        content = json.loads((bundle / name).read_text(encoding="utf-8")) if bundle else {}
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def seconds_of(bundle: Path) -> list[dict[str, Any]]:
    """Return the whole lines of the ledger so far: that of this machine's generator, or the sum of all load hosts."""
    ledgers = [file.read_text(encoding="utf-8").split("\n")[:-1] for file in (bundle / "latencies").glob("*.jsonl")]
    return [json.loads(line) for line in max(ledgers, key=len, default=[])]


def check_run(scene: Scene) -> str:
    """Run for 30 s and have it judged."""
    answer, bundle = run(scene, 30)
    scene.bundle = bundle
    if answer.code != exit_codes.OK:
        raise Failed(f"run ended with code {answer.code}: {_reason(answer, bundle)}", answer.code)
    summary = read(bundle, "summary.json")
    headline = summary.get("headline") or {}
    rate = f"{float(headline.get('achieved_per_second') or 0):.1f}/s of {headline.get('offered_per_second')}/s"
    return f"verdict {(summary.get('verdict') or {}).get('name')}, {rate}, {_p99(headline)}"


def _p99(headline: dict[str, Any]) -> str:
    p99 = (headline.get("latency_ns") or {}).get("p99")
    return f"p99 {p99 / 1e6:.1f} ms" if p99 else "too few samples for p99"


def _reason(answer: Answer, bundle: Path | None) -> str:
    reasons = (read(bundle, "summary.json").get("verdict") or {}).get("reasons") or []
    return "; ".join(map(str, reasons)) or answer.line


def check_evidence(scene: Scene) -> str:
    """Look at the plans that the server explained before the run."""
    plans = read(scene.bundle, "evidence.json").get("plans") or {}
    if not plans:
        raise Failed("the bundle of the run has no plans")
    words = {name: _access(plan) for name, plan in plans.items()}
    text = "; ".join(f"{name}: {word}" for name, word in words.items())
    if scene.server.startswith(_SLOW):
        raise NotApplicable(f"no index of this server serves a find. {text}")
    bad = [
        f"{name}: {words[name]}" for name, plan in plans.items() if plan.get("access") in (None, "full-scan", "unknown")
    ]
    if bad:
        raise Failed(f"without an index or not explained: {'; '.join(bad)}")
    return text


def _access(plan: dict[str, Any]) -> str:
    indexes = ", ".join(plan.get("indexes") or [])
    access = "no read" if plan.get("access") == "none" else str(plan.get("access"))
    shards = plan.get("shards")
    return f"{access}{f' {indexes}' if indexes else ''}" + ("" if shards == "not sharded" else f" ({shards})")


def check_rights(scene: Scene) -> str:
    """Look for rights that were missing in everything that the commands so far have printed or noted."""
    noted = [
        text
        for name in ("environment.json", "evidence.json", "summary.json")
        for text in strings_of(read(scene.bundle, name))
    ]
    missing = missing_rights([*scene.told, *noted])
    if missing:
        raise Failed("rights that were missing: " + " | ".join(missing))
    return "schema, load, run, evidence and verification asked for no right that the user lacks"


def strings_of(value: Any) -> list[str]:
    """Return all texts in a JSON value."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings_of(item)]
    if isinstance(value, list):
        return [text for item in value for text in strings_of(item)]
    return [value] if isinstance(value, str) else []


def missing_rights(texts: Sequence[str]) -> list[str]:
    """Return the lines that speak of a right that was missing, each once."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    found = [line[:300] for line in lines if _RIGHTS.search(line) and _NO_RIGHT not in line]
    return list(dict.fromkeys(found))[:10]


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

    answer = scene.caller.call(
        ["server-metrics", "--target", scene.target, "--listen", "127.0.0.1:0"], watch=stop, may_fail=False
    )
    missing = missing_rights([answer.output])
    if missing:
        raise Failed("rights that were missing: " + " | ".join(missing))
    lines = [line for line in answer.output.splitlines() if "not reported" in line]
    served = re.search(r"\((\d+ servers?|no server yet)\)", answer.output)
    if not served or served[1] == "no server yet":
        raise Failed("it reached no server: " + "; ".join(lines or [answer.line]))
    return f"{served[1]} reported" + (f"; {'; '.join(lines)}" if lines else "")


def check_verification(scene: Scene) -> str:
    """Read every document again."""
    answer = scene.caller.call(["verify", *data_of(scene), "--verification", "all"])
    scene.told.append(answer.output)
    line = _verification(answer)
    if answer.code or not line.startswith("verification: clean"):
        raise Failed(f"verify ended with code {answer.code}: {line}", answer.code)
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
        raise Failed(f"verify after the kill ended with code {settled.code}: {_verification(settled)}", settled.code)
    return f"code 1: {_first(refused)}; then verify: {_verification(settled)}"


def settle(scene: Scene) -> Answer:
    """Have verification settle the data set after a run that was killed."""
    answer = scene.caller.call(["verify", *data_of(scene)])
    scene.is_unsettled = answer.code != exit_codes.OK
    return answer


def _verification(answer: Answer) -> str:
    return next((line for line in answer.output.splitlines() if line.startswith("verification: ")), answer.line)


def _first(answer: Answer) -> str:
    return next((line for line in answer.output.splitlines() if line.startswith("shardload: ")), answer.line)


def check_parity(scene: Scene) -> str:
    """Compare each answer with the answers of the embedded database."""
    embedded = scene.section.get("embedded")
    other = _OTHERS[1] if embedded and str(embedded) in _OTHERS[0] else _OTHERS[0]
    size = scene.size or SMALL
    data = [f"workload.data.documents={min(2000, size.documents * 2)}", "workload.data.tenants=4"]
    answer = scene.caller.call(
        ["parity", "--targets", f"{scene.target},{other}", "--calls", str(size.calls), *as_options(data)]
    )
    scene.told.append(answer.output)
    line = next((line for line in answer.output.splitlines() if " equal: " in line), answer.line)
    if answer.code:
        lines = answer.output.splitlines()
        different = [line.split()[0] for line in lines if line.endswith("different")]
        told = [line.strip() for line in lines if line.startswith(f"    {name_of_argument(scene.target)} ")]
        why = f"{', '.join(different)}; the first of them: {told[0]}" if different and told else line
        raise Failed(f"parity ended with code {answer.code}: {why}", answer.code)
    return f"{line.partition(':')[0]} with {other}"
