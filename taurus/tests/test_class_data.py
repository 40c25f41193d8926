"""The archives of loaded classes: the load that fills them is an ordinary one, and who starts a JVM names them."""

from __future__ import annotations

import json
from pathlib import Path

from shardload.config import effective
from shardload.config.check import check
from shardload.config.merge import merge
from shardload.config.places import Places
from shardload.processes import child
from shardload.setup import class_data

ROOT = Path(__file__).resolve().parents[2]


def test_the_load_that_fills_them_has_the_keys_of_a_run() -> None:
    files = [
        ROOT / "taurus" / f"{name}.yml"
        for name in ("base", "targets/noop", "workloads/document-store", "profiles/smoke")
    ]
    checked = check(merge(files, [], Places(ROOT)))
    config = effective.build(checked, "class-data", Path("bundle"), "class-data")
    made = json.loads((Path(class_data.__file__).with_suffix(".json")).read_text(encoding="utf-8"))
    assert made["mix"] == config["mix"]
    assert set(made) - {"schedule_hash"} == set(config)
    for section in ("target", "load", "metrics"):
        assert set(made[section]) == set(config[section]), section
    assert set(made["load"]["segments"][0]) == set(config["load"]["segments"][0])


def test_a_jvm_that_crashes_once_is_started_again_and_leaves_its_error_file_in_the_set_up(
    tmp_path: Path,
) -> None:
    """A Java and a JMeter that crash at their first start; what a JVM does with the flag is its own."""
    home = tmp_path / ".shardload"
    (home / "app").mkdir(parents=True)
    (home / "jmeter" / "bin").mkdir(parents=True)
    crash = """for word in "$@" $JVM_ARGS; do case $word in
      -XX:ErrorFile=*) error=${word#*=} ;; -XX:ArchiveClassesAtExit=*) archive=${word#*=} ;; esac; done
    [ -e "$0.crashed" ] || { touch "$0.crashed" "$error"; kill -SEGV $$; }
    """
    child = f"{crash}\nwhile read -r line; do echo '{{\"ok\": 1}}'; done; echo child >$archive\n"
    jmeter = f"{crash}\necho jmeter >$archive\n"
    bin_folder = home / "jmeter" / "bin"
    for path, text in ((bin_folder / "java", child), (bin_folder / "jmeter", jmeter)):
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)
    class_data.make(tmp_path, str(bin_folder / "java"))
    assert (home / "app" / class_data.ARCHIVE).read_text() == "child\n"
    assert (home / "jmeter" / class_data.ARCHIVE).read_text() == "jmeter\n"
    assert {path.name for path in bin_folder.iterdir()} == {"java", "java.crashed", "jmeter", "jmeter.crashed"}
    assert [path.name for path in tmp_path.iterdir()] == [".shardload"]
    assert [path.name for path in home.glob("*.log")] == ["class-data-crash-%p.log"]


def test_the_child_names_its_archive_only_where_there_is_one(tmp_path: Path) -> None:
    assert not [word for word in child.command("java", tmp_path, "512m") if word.startswith("-XX:Shared")]
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / class_data.ARCHIVE).touch()
    assert f"-XX:SharedArchiveFile={tmp_path}/app/class-data.jsa" in child.command("java", tmp_path, "512m")
