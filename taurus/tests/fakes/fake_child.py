"""A fake Java child: speaks the protocol, knows no database.

FAKE_CHILD may be ``<verb>-error`` (that verb answers an error), ``<verb>-dies`` (ends in that verb), ``slow-load``
(takes 20 s to load), ``loaded`` (nothing is left to load), ``slow-verify`` (takes 60 s to walk), ``different``
(answers differ), ``wrong`` (verification finds a wrong document), ``few-connections`` (the server gives fewer than
asked), ``refuses-KEY`` (the server refuses what that key asks for), ``unended`` (a collected host left no last line),
``hostless`` (the cluster names no hosts) or ``stuck-parity`` (is at it, and then at its end, until there is a file
FAKE_PIDS/go-on). All requests are kept in FAKE_PIDS/requests. For load hosts see fake_hosts.py, for metrics
fake_metrics.py. With FAKE_KNEE a run passes up to that rate. With FAKE_SETTLES ``verify`` settles the run of that
bundle. With ``slow-publish`` an import takes 60 s, with ``slow-draft`` the reading of tables, and with ``bad-folder`` a
workload folder has two problems.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.fakes.fake_hosts import FakeHosts, Refused, Unexpected
from tests.fakes.fake_metrics import FakeMetrics

FAULT = os.environ.get("FAKE_CHILD", "none")
CLUSTER = [
    {"host": "10.9.0.1", "port": 27017, "role": "router"},
    {"host": "10.9.0.2", "port": 27018, "role": "shard"},
    {"host": "10.9.0.2", "port": 27019, "role": "config"},
    {"host": "10.9.0.2", "port": 27020, "role": "shard"},
]
SIZES = ("documents", "dataset-size", "ratio-to-ram")
SHAPE = {"workload.data.tenants": "1000"}
JUNIT = """<testsuites><testsuite name="criteria" package="shardload.t.w.p" id="criteria"><properties/>
<testcase classname="shardload.t.w.p.criteria" name="p99&gt;5ms"/></testsuite></testsuites>
"""
HOSTS = FakeHosts()
METRICS = FakeMetrics()


def say(**reply: Any) -> None:
    print(json.dumps(reply), flush=True)


def lines_of(config: dict) -> list[dict]:
    folder = Path(config["run"]["directory"], "latencies")
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def check(request: dict) -> dict:
    config = request["config"]
    if "statments" in config["target"]["options"]:
        raise KeyError("target.options.statments")
    load = config["load"]
    expected = {}
    for segment in load["segments"]:
        arrivals = segment["seconds"] * ((segment["from_rate"] or 0) + (segment["to_rate"] or 0)) / 2
        expected[segment["name"]] = {name: arrivals * share / 100 for name, share in config["mix"].items()}
    return {
        "transactions": list(config["mix"]),
        "schedule_hash": "abc",
        "expected": expected,
        "data": {"workload.data.tenants": "1000"},
    }


def load(request: dict) -> dict:
    for done in range(0, 1001, 100):
        say(id=request["id"], progress={"what": "load", "done": done, "total": 1000, "unit": "documents"})
        time.sleep(2 if FAULT == "slow-load" else 0)
    if FAULT == "keeps-nothing":
        return {"documents": 0, "loaded": 0, "seconds": 0.1}
    return {"documents": 1000, "loaded": 0 if FAULT == "loaded" else 1000, "seconds": 0.1}


def verify(request: dict) -> dict:
    if FAULT == "slow-verify" and request["walk"]:
        time.sleep(60)
    if not request["walk"]:
        return {"verdict": "not run", "wrong": 0, "walked": 0}
    scope = "only what the run wrote" if request.get("verification") == "written" else ""
    wrong = FAULT == "wrong"
    settled = {"bundle": os.environ["FAKE_SETTLES"]} if "FAKE_SETTLES" in os.environ else {}
    return {"verdict": "wrong" if wrong else "clean", "wrong": int(wrong), "walked": 1000, "scope": scope, **settled}


def finish(request: dict) -> dict:
    """Know only the outcome and the shares of errors; the real one judges everything."""
    directory = Path(request["directory"])
    run = json.loads((directory / "run.json").read_text())
    outcome = json.loads((directory / "outcome.json").read_text())
    codes = [0]
    codes += [4] if FAULT == "wrong" else []
    codes += [5] if outcome["lost_generators"] else []
    codes += [2] if outcome["interrupted"] else []
    missed = [item["text"] for item in outcome["criteria"] if not item["passed"]]
    counts = [one for line in lines_of(run) for part in line.get("segments", {}).values() for one in part.values()]
    started, failed = (sum(one[key] for one in counts) for key in ("started", "failed"))
    for item in run["criteria"]:
        if item["subject"] == "fail" and not item["timeframe_seconds"] and failed * 100 > item["threshold"] * started:
            missed.append(item["text"])
    codes += [3] if missed else []
    summary = judge_rate(run, float(os.environ["FAKE_KNEE"])) if "FAKE_KNEE" in os.environ else {}
    codes += [0 if step["passed"] else 3 for step in summary.get("steps", ())]
    code = next(code for code in (4, 5, 2, 3, 0) if code in codes)
    (directory / "summary.json").write_text(json.dumps({"verdict": {"code": code}, "missed": missed, **summary}))
    (directory / "report.html").write_text("<p>fake</p>")
    (directory / "junit.xml").write_text(JUNIT)
    return {"verdict": {"code": code}, "exit": code, "lines": [f"verdict {code}", f"report {directory}/report.html"]}


def judge_rate(run: dict, knee: float) -> dict:
    """Say of the last segment, which is the hold, whether the target carries its rate."""
    rate = run["load"]["segments"][-1]["to_rate"]
    hold = {"kind": "hold", "passed": rate <= knee, "why": f"p99 {rate:g} ms"}
    headline = {
        "offered_per_second": rate,
        "achieved_per_second": rate,
        "answered_per_second": rate,
        "latency_ns": {"p50": 1e6, "p99": rate * 1e6},
    }
    return {"steps": [hold], "headline": {**headline, "errors_percent": 0}, "run_id": run["run"]["id"]}


def capacity(request: dict) -> dict:
    """Draw nothing: the page has the answer alone."""
    folder = Path(request["directory"])
    search = json.loads((folder / "search.json").read_text())
    (folder / "search.html").write_text(f"<p>{search['text']}</p>")
    return {"lines": [search["text"] or "the search is not over", f"page     {folder / 'search.html'}"]}


def sized(workload: dict) -> dict:
    """Write the number in, with what was asked, as the real one does."""
    asked = next(
        (f"{key}: {workload['data'][key]}" for key in SIZES if key in workload["data"]), "documents: by default"
    )
    return {**workload, "data": {**workload["data"], "documents": 1234}, "size": {"asked": asked}}


def compare(request: dict) -> dict:
    named = [Path(run["bundle"]).name for run in request["runs"] if run["bundle"]]
    return {"lines": [f"compared {len(named)} bundles"], "report": request["directory"]}


def static(request: dict) -> dict:
    return {"report": f"{request['into']}/index.html"}


def wait_for_leave() -> None:
    while not Path(os.environ["FAKE_PIDS"], "go-on").exists():
        time.sleep(0.05)


def parity(request: dict) -> dict:
    if FAULT == "stuck-parity":
        wait_for_leave()
    return {"equal": FAULT != "different", "targets": ["noop", "embedded-postgresql"], "transactions": []}


def data_state() -> dict:
    """Tell what FAKE_DATA says: complete, none, partial or refused."""
    state = os.environ.get("FAKE_DATA", "complete")
    loaded = {"complete": 1000, "partial": 400}.get(state, 0)
    detail = "the data set is dirty" if state == "refused" else ""
    return {"state": state, "loaded": loaded, "documents": 1000, "detail": detail}


def simple(request: dict) -> dict:
    answers: dict[str, dict] = {
        "size": {"workload": sized(request["config"]["workload"])},
        "start-embedded": {"url": "postgresql://127.0.0.1:5433/shardload", "user": "shardload"},
        "look": {"server": "FakeSQL 1.0"},
        "data-state": data_state(),
        "connections": {},
        "schema": {"created": True, "server": "FakeSQL 1.0"},
        "begin": {"documents": 1000, "generation": 1},
        "calibrate": {"lines": ["calibrated"]},
        "parity-open": {"server": "FakeSQL 1.0"},
        "server-hosts": {"hosts": CLUSTER if FAULT != "hostless" else []},
    }
    return answers[request["verb"]]


def collect(request: dict) -> dict:
    """Take folders for those of the first hosts."""
    if not Path(request["directory"], "run.json").is_file() or not all(map(os.path.isdir, request["folders"])):
        raise Unexpected("collect without a bundle or folders")
    everybody, count = range(len(request["config"]["hosts"]["list"])), len(request["folders"])
    told = ["2 of 5 seconds were new"] if count > 1 else []
    unended = list(everybody)[count - 1 :] if FAULT == "unended" else list(everybody)[count:]
    return {"collected": list(everybody)[:count], "missing": unended, "lines": told}


def server_metrics(request: dict) -> dict:
    """Serve nothing, until the controller ends the conversation."""
    say(id=request["id"], note=f"serving http://{request['host']}:{request['port']}/metrics for noop (1 server)")
    say(id=request["id"], note="warning: not reported: db1:5432 io: forbidden")
    threading.Event().wait()
    return {}


def hosts_of_cluster(request: dict) -> dict:
    return {"missing": []}


def targets(request: dict) -> dict:
    """Answer "yes" where there is a URL, as if all servers ran; one with "down" in it does not."""
    return {
        "targets": {
            name: {
                "answer": "no, it is down"
                if _is_down(target)
                else "yes"
                if target.get("url")
                else "started when needed",
                "ready": not _is_down(target),
                "built_in": target.get("embedded"),
            }
            for name, target in request["targets"].items()
        }
    }


def _is_down(target: dict) -> bool:
    return "down" in str(target.get("url"))


def load_hosts(request: dict) -> dict:
    """Know of no engine whose name begins with "lost"."""
    troubles = [f"load host {host}: connection refused" for host in request["list"] if host.startswith("lost")]
    return {"troubles": troubles + (["target.redis: no answer"] if "lost" in request["redis_url"] else [])}


def publish(request: dict) -> dict:
    _check_whole(request)
    time.sleep(60 if FAULT == "slow-publish" else 0)
    return {"operations": 1234, "series": 10, "samples": 20, "problems": []}


def export(request: dict) -> dict:
    _check_whole(request)
    file = Path(request["output"])
    if request["format"] == "csv":
        file.mkdir(exist_ok=True)
        file /= "seconds.csv"
    file.write_text(request["format"])
    return {"files": [str(file)], "problems": []}


def history(request: dict) -> dict:
    """Find that every run that was added is worse; the real one reads what is there."""
    if request.get("target") == "citos":
        raise Refused('unknown target "citos"; did you mean "citus"?', 1)
    added = request.get("added") or []
    regressions = [f"citus steady, {name}: RPS 400/s is 20.0 % lower than 500/s" for name in added]
    return {
        "curves": [], "warnings": [], "notes": [], "judged": added, "regressions": regressions,
        "percent": request["percent"],
    }  # fmt: skip


def workload_check(request: dict) -> dict:
    """Know no statement; the real one reads the folder and has the server look at it."""
    workload = request["config"]["workload"]
    if not workload.get("folder"):
        raise Refused("no folder", 1)
    if FAULT == "bad-folder":
        lines = ["shop/transactions/a/citus.sql:3: unknown parameter", "shop/schema/citus.sql:1: does not parse"]
        return {"problems": lines, "preview": {}}
    rows = [{"id": number + 1, "name": "Ole"} for number in range(request["preview"])]
    calls = [{"variant": number, "arguments": {"id": 7}} for number in range(request["preview"])]
    preview = {"rows": {"customers": rows, "history": []}, "calls": {"find": calls}}
    return {"problems": [], **({"preview": preview} if rows else {})}


def workload_draft(request: dict) -> dict:
    """Describe two tables; with ``slow-draft`` after a minute."""
    say(id=request["id"], progress={"what": "tables", "done": 1, "total": 2, "unit": "tables"})
    time.sleep(60 if FAULT == "slow-draft" else 0)
    return {
        "workload": {
            "tables": {
                "shop": {
                    "rows": 10,
                    "entity": {"key": "id", "changes": ["sum"]},
                    "columns": {
                        "id": {"type": "sequential"},
                        "sum": {"type": "decimal", "min": 0.00, "max": 1.50, "scale": 2},
                    },
                },
                "visit": {"rows": 0, "columns": {"at": {"type": "timestamp", "from": "2025-01-01T00:00:00Z"}}},
            },
            "parameters": {"shop_of_row": {"type": "reference", "table": "shop", "column": "id"}},
            "transactions": {"read-shop": {"entity": "read", "rows": "one"}, "insert-visit": {"rows": "one"}},
            "mix": {"read-shop": 66.67, "insert-visit": 33.33},
        },
        "files": {"schema/fake.sql": "CREATE", "transactions/read-shop/fake.sql": "SELECT"},
        "edits": ["table visit: 1 triggers are left out"],
    }


def _check_whole(request: dict) -> None:
    if Path(request["directory"]).name == "broken":
        raise Refused("it is broken", 1)


VERBS = {
    "check": check, "load": load, "verify": verify, "finish": finish, "compare": compare, "static": static,
    "parity": parity, "targets": targets, "collect": collect,
    "server-metrics": server_metrics, "publish": publish, "export": export, "hosts": hosts_of_cluster,
    "load-hosts": load_hosts, "workload-check": workload_check, "workload-draft": workload_draft,
    "history": history, "capacity": capacity,
}  # fmt: skip
# Beside these, the verbs that begin with a word.
PARTS = {"hosts": HOSTS.answer, "metrics": METRICS.answer}


def answer(request: dict) -> None:
    verb = request["verb"]
    with open(Path(os.environ["FAKE_PIDS"], "requests"), "a") as file:
        file.write(json.dumps(request) + "\n")
    if f"{verb}-dies" == FAULT and not Path(os.environ["FAKE_PIDS"], "died").exists():
        Path(os.environ["FAKE_PIDS"], "died").touch()
        print("something broke", file=sys.stderr)
        os._exit(7)
    if FAULT == "few-connections" and verb == "connections":
        say(id=request["id"], error={"message": "the server accepts only 3", "key": "load.workers", "exit": 1})
        return
    if FAULT.startswith("refuses-") and verb == "data-state":
        key = FAULT.removeprefix("refuses-")
        say(id=request["id"], error={"message": "is not taken; leave it out", "key": key, "exit": 1})
        return
    if f"{verb}-error" == FAULT:
        advice = [
            {"purpose": "to settle it", "verb": "verify", "flags": []},
            {"purpose": "to start afresh", "verb": "load", "flags": ["--recreate"]},
        ]
        say(id=request["id"], error={"message": f"{verb} does not work", "exit": 1, "advice": advice})
        return
    try:
        HOSTS.hear(request)
        METRICS.hear(request)
        say(id=request["id"], ok=VERBS.get(verb, PARTS.get(verb.partition("-")[0], simple))(request))
    except Unexpected as error:
        say(id=request["id"], error={"message": f"unexpected: {error}", "exit": 1})
    except Refused as error:
        say(id=request["id"], error={"message": error.args[0], "exit": error.args[1]})
    except KeyError as error:
        message = {"key": error.args[0], "message": 'unknown option; did you mean "statements"?', "exit": 1}
        say(id=request["id"], error=message)


def main() -> None:
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    METRICS.leave()
    if FAULT == "stuck-parity":
        wait_for_leave()


if __name__ == "__main__":
    main()
