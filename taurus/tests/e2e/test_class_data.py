"""The archives of loaded classes, as the set-up has made them: real JVMs take their classes from them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from shardload.config.places import Places, java
from shardload.processes import child
from shardload.setup.class_data import ARCHIVE
from tests.e2e.conftest import ROOT

pytestmark = pytest.mark.e2e

HOME = Places(ROOT).home
LOADED = "-Xlog:class+load"
FROM_ARCHIVE = "source: shared objects file (top)"


def jmeter(folder: Path) -> str:
    """Return what a JMeter of this home prints that loads and shows its version."""
    environment = {**os.environ, "HEAP": "-Xmx256m", "JVM_ARGS": f"-Djava.awt.headless=true {LOADED}"}
    command = [str(folder / "bin" / "jmeter"), "-v", "-j", os.devnull]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout


def test_jmeter_takes_its_classes_from_the_archive() -> None:
    lines = jmeter(HOME / "jmeter").splitlines()
    (loaded,) = [line for line in lines if " org.apache.jmeter.util.JMeterUtils source" in line]
    assert FROM_ARCHIVE in loaded
    assert sum(FROM_ARCHIVE in line for line in lines) > 500


def test_the_child_takes_its_classes_from_the_archive() -> None:
    command = child.command(java(), HOME, "512m")
    told = json.dumps({"id": 1, "verb": "none", "config": {}}) + "\n"
    done = subprocess.run(
        [command[0], LOADED, *command[1:]],
        input=told,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "SHARDLOAD_ROOT": str(ROOT)},
    )
    (loaded,) = [line for line in done.stdout.splitlines() if " io.shardload.cli.Main source" in line]
    assert FROM_ARCHIVE in loaded


def test_an_archive_of_other_jars_is_passed_over_in_silence(tmp_path: Path) -> None:
    home = tmp_path / "a home"
    shutil.copytree(HOME / "jmeter", home)
    assert (home / ARCHIVE).exists()
    printed = jmeter(home)
    assert " org.apache.jmeter.util.JMeterUtils source: " in printed
    assert FROM_ARCHIVE not in printed and "warning" not in printed
