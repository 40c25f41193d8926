"""An independent prober of the same server: it agrees with a run on how long nobody had success, and until when."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from shardload.config.places import java
from tests.conftest import PATIENCE_SECONDS
from tests.e2e.conftest import ROOT, RealCheckout, options
from tests.losses.servers import Postgresql
from tests.losses.setups import Site, kill_and_stop, programs

# It measures, so nothing else runs at the same time.
pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.alone]


@contextmanager
def prober(url: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that writes each 10 ms."""
    command = [
        java(),
        "-cp",
        str(ROOT / ".shardload" / "app" / "lib" / "*"),
        str(Path(__file__).with_name("Prober.java")),
    ]
    environment = {**os.environ, "SQL_URL": url}
    with subprocess.Popen(command, env=environment, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


@pytest.mark.parametrize("kind", ["kill", "stop"])
def test_it_measures_the_same_time_without_success(real: RealCheckout, tmp_path: Path, kind: str) -> None:
    fault = f"{kind}-server"
    profile = {
        "execution": [{"concurrency": 16, "throughput": 1000, "warm-up": "3s", "hold-for": "14s"}],
        "faults": [{"fault": fault, "at": "6s", "duration": "2s"}],
    }
    (real.root / "taurus" / "profiles" / "probed.yml").write_text(yaml.safe_dump(profile))
    server = Postgresql(programs()).make(tmp_path / "cluster", {})
    try:
        chosen = Site(real, tmp_path).target(
            "postgresql", f"postgresql://127.0.0.1:{server.port}/shardload", kill_and_stop(server=server)
        )
        words = [*chosen, "--profile", "probed", *options({"workload.data.documents": "5000"})]
        with prober(Postgresql.url(server.port)) as probing:
            code, output = real.run("run", *words)
            told, _ = probing.communicate("end\n", timeout=PATIENCE_SECONDS)
    finally:
        server.close()
    assert code in (0, 3), output
    (seen,) = json.loads((real.latest / "summary.json").read_text())["faults"]
    begin = json.loads((real.latest / "faults.jsonl").read_text().splitlines()[0])
    silent, last = map(int, told.split())
    assert silent > 1900
    assert abs(seen["without_success_seconds"] - silent / 1000) < 0.1, (seen, silent)
    # The command of the fault may need a while to take effect, and that is before the prober's silence.
    answered = (last + silent - begin["epoch_ms"]) / 1000
    assert abs(seen["answers_after_seconds"] - answered) < 0.1, (seen, answered)
