"""The plugin jar in a JMeter that shardload knows nothing of: a Java Request with parameters."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import zipfile
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from shardload.config.places import java
from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, SHORT, RealCheckout, options
from tests.e2e.ferretdb import postgresql
from tests.e2e.test_real import assert_code

pytestmark = pytest.mark.e2e

THREADS, LOOPS = 4, 50
PASSWORD_ENV = "SHARDLOAD_E2E_PASSWORD"
PLAN = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
  <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="plan"/>
  <hashTree>
    <ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="threads">
      <stringProp name="ThreadGroup.num_threads">{threads}</stringProp>
      <stringProp name="ThreadGroup.ramp_time">0</stringProp>
      <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
        <boolProp name="LoopController.continue_forever">false</boolProp>
        <stringProp name="LoopController.loops">{loops}</stringProp>
      </elementProp>
    </ThreadGroup>
    <hashTree>
      <JavaSampler guiclass="JavaTestSamplerGui" testclass="JavaSampler" testname="mix">
        <elementProp name="arguments" elementType="Arguments">
          <collectionProp name="Arguments.arguments">{arguments}</collectionProp>
        </elementProp>
        <stringProp name="classname">io.shardload.sampler.TransactionSampler</stringProp>
      </JavaSampler>
      <hashTree/>{listener}
    </hashTree>
  </hashTree>
</hashTree></jmeterTestPlan>
"""
# Nothing listens on port 1: what the listener sends is lost.
GRAPHITE = {
    "graphiteMetricsSender": "org.apache.jmeter.visualizers.backend.graphite.TextGraphiteMetricsSender",
    "graphiteHost": "127.0.0.1",
    "graphitePort": "1",
    "rootMetricsPrefix": "jmeter.",
    "summaryOnly": "true",
    "samplersList": "",
    "percentiles": "99",
}
BACKEND = """
      <BackendListener guiclass="BackendListenerGui" testclass="BackendListener" testname="to-graphite">
        <elementProp name="arguments" elementType="Arguments">
          <collectionProp name="Arguments.arguments">{arguments}</collectionProp>
        </elementProp>
        <stringProp name="classname">{client}</stringProp>
      </BackendListener>
      <hashTree/>"""


@pytest.fixture
def jmeter(tmp_path: Path) -> Path:
    """Make a JMeter without shardload and drop the plugin jar into its lib/ext."""
    home = tmp_path / "jmeter"
    shutil.copytree(ROOT / ".shardload" / "jmeter", home)
    (home / "lib" / "ext" / "shardload-jmeter.jar").unlink()
    shutil.copy(ROOT / ".shardload" / "app" / "plugin" / "shardload-jmeter.jar", home / "lib" / "ext")
    return home


def properties(values: dict[str, str]) -> str:
    return "".join(
        f'<elementProp name="{name}" elementType="Argument"><stringProp name="Argument.name">{name}</stringProp>'
        f'<stringProp name="Argument.value">{escape(value)}</stringProp></elementProp>'
        for name, value in values.items()
    )


def run(
    jmeter: Path, folder: Path, listener: str = "", threads: int = THREADS, loops: int = LOOPS, **parameters: str
) -> tuple[list[dict[str, str]], str]:
    """Run the plan and return the rows of its JTL, which takes the place of a listener, and its log."""
    arguments = properties({name.replace("_", "-"): value for name, value in parameters.items()})
    plan, results, log = folder / "plan.jmx", folder / "results.jtl", folder / "jmeter.log"
    plan.write_text(PLAN.format(threads=threads, loops=loops, arguments=arguments, listener=listener), encoding="utf-8")
    command = [str(part) for part in (jmeter / "bin" / "jmeter", "-n", "-t", plan, "-j", log)]
    command += [] if listener else ["-l", str(results)]
    subprocess.run(command, cwd=folder, check=True, timeout=PATIENCE_SECONDS, stdout=subprocess.DEVNULL)
    if listener:
        return [], log.read_text(encoding="utf-8")
    with results.open(encoding="utf-8") as file:
        return list(csv.DictReader(file)), log.read_text(encoding="utf-8")


def test_every_transaction_is_a_sample_with_its_own_label(jmeter: Path, tmp_path: Path) -> None:
    rows, log = run(
        jmeter,
        tmp_path,
        driver="noop",
        mix="insert=20, find-by-id-and-filter1=80",
        target_options='{"service-time": "5ms"}',
        directory=str(tmp_path / "bundle"),
    )
    labels = Counter(row["label"] for row in rows)
    assert sum(labels.values()) == THREADS * LOOPS
    assert set(labels) == {"insert", "find-by-id-and-filter1"}
    assert 20 <= labels["insert"] <= 60
    assert all(row["responseCode"] == "done" and int(row["elapsed"]) >= 5 for row in rows)
    assert "ERROR" not in log
    lines = (tmp_path / "bundle" / "latencies" / "generator-0.jsonl").read_text(encoding="utf-8").splitlines()
    scheduled = json.loads(lines[-1])["scheduled"]["hold"]
    assert scheduled == dict(labels)


@pytest.mark.long
def test_a_workload_folder_runs_by_the_file_of_an_earlier_run(
    jmeter: Path, real: RealCheckout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/own-workload.md, "In a JMeter of your own": the schedule of the file ends the threads."""
    shop = str(tmp_path / "folders" / "shop")
    (tmp_path / "folders").mkdir()
    with postgresql(ROOT / ".shardload", tmp_path) as server:
        real.target("mine", "postgresql", url=server.url, user=server.user, password_env=PASSWORD_ENV)
        real.environment[PASSWORD_ENV] = server.password
        monkeypatch.setenv(PASSWORD_ENV, server.password)
        assert real.run("workload", "init", shop)[0] == 0
        words = ["--workload", shop, "--target", "mine", "-o", "workload.data.tables.customers.rows=1000"]
        calm = options({**SHORT, "execution.0.throughput": "50"})
        code, output = real.run("run", *words, *calm, "-o", 'reporting.1.criteria=["fail>1%, continue as failed"]')
        assert_code(code, 0, output)
        config = json.loads((real.latest / "run.json").read_text(encoding="utf-8"))
        config["load"]["samples"] = "each"
        config["run"].update(directory=str(tmp_path / "jmeter-1"), id="jmeter-1")
        file = tmp_path / "config.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        rows, log = run(jmeter, tmp_path, threads=config["load"]["workers"], loops=-1, config=str(file))
        ledger = (tmp_path / "jmeter-1" / "latencies" / "generator-0.jsonl").read_text(encoding="utf-8").splitlines()
        warm_up = 1 + json.loads(ledger[-1]).get("prolonged_ns", 0) / 1e9
        assert len(rows) == pytest.approx(50 * (warm_up + 0.5 + 5), abs=1), "warm-up, ramp and hold"
        assert {row["label"] for row in rows} == {"find-customer", "list-orders", "place-order"}
        assert (
            "shardload: the documents were not read back; the data set was settled with the counts of the run's calls"
            in log
        )
        code, output = real.run("verify", *words)
        assert code == 0, output
        server.execute("DELETE FROM orders WHERE id = 17")
        code, output = real.run("verify", *words)
        assert code == 4 and "no-order-lost" in output, output


def test_slices_with_a_jtl_are_refused(jmeter: Path, tmp_path: Path) -> None:
    """Mutation: never look at the listeners."""
    rows, _ = run(jmeter, tmp_path, driver="noop", samples="slice", directory=str(tmp_path / "bundle"))
    assert {row["responseCode"] for row in rows} == {"refused"}
    assert "'slice' combines many transactions in one sample" in rows[0]["responseMessage"]
    assert "results.jtl" in rows[0]["responseMessage"]
    assert not (tmp_path / "bundle").exists()


def test_slices_for_a_backend_listener_are_refused(jmeter: Path, tmp_path: Path) -> None:
    """Mutation: look at result collectors alone."""
    bundle = tmp_path / "bundle"
    client = "org.apache.jmeter.visualizers.backend.graphite.GraphiteBackendListenerClient"
    listener = BACKEND.format(arguments=properties(GRAPHITE), client=client)
    _, log = run(jmeter, tmp_path, listener, driver="noop", samples="slice", directory=str(bundle))
    assert "'slice' combines many transactions in one sample, but listener or JTL 'to-graphite'" in log
    assert not bundle.exists()
    run(jmeter, tmp_path, listener, driver="noop", samples="each", directory=str(bundle))
    assert (bundle / "latencies" / "generator-0.jsonl").exists()


def test_a_wrong_parameter_ends_the_test_with_one_clear_line(jmeter: Path, tmp_path: Path) -> None:
    rows, _ = run(jmeter, tmp_path, driver="noop", mix="inser=100", directory=str(tmp_path / "bundle"))
    assert {row["responseCode"] for row in rows} == {"refused"}
    assert len(rows) <= THREADS
    assert rows[0]["responseMessage"].startswith('mix: inser: unknown transaction "inser"; did you mean "insert"?')
    assert not (tmp_path / "bundle").exists()


def test_a_jmeter_without_the_client_of_mariadb_names_its_jar(jmeter: Path, tmp_path: Path) -> None:
    for connector in (jmeter / "lib").glob("mariadb-java-client-*.jar"):
        connector.unlink()
    rows, _ = run(
        jmeter, tmp_path, threads=1, loops=1, driver="mariadb", url="mariadb://127.0.0.1:1/shop", user="tester"
    )
    assert rows[0]["success"] == "false"
    assert "driver: needs mariadb-java-client-VERSION.jar in JMeter's folder lib" in rows[0]["responseMessage"]


def test_the_gui_offers_the_sampler_and_jmeter_need_not_read_the_plugin_at_its_start(jmeter: Path) -> None:
    """Mutations: drop JMeter-Skip-Class-Scanning from the manifest; drop META-INF/services."""
    jars = [*(jmeter / "lib").glob("*.jar"), *(jmeter / "lib" / "ext").glob("*.jar")]
    program = Path(__file__).with_name("ListSamplers.java")
    done = subprocess.run(
        [java(), "-cp", ":".join(map(str, jars)), str(program), str(jmeter)],
        cwd=jmeter, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "io.shardload.sampler.TransactionSampler" in done.stdout.splitlines()
    with zipfile.ZipFile(jmeter / "lib" / "ext" / "shardload-jmeter.jar") as jar:
        assert b"JMeter-Skip-Class-Scanning: true" in jar.read("META-INF/MANIFEST.MF").splitlines()
