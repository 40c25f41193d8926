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


def test_the_child_names_its_archive_only_where_there_is_one(tmp_path: Path) -> None:
    assert not [word for word in child.command("java", tmp_path, "512m") if word.startswith("-XX:Shared")]
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / class_data.ARCHIVE).touch()
    assert f"-XX:SharedArchiveFile={tmp_path}/app/class-data.jsa" in child.command("java", tmp_path, "512m")
