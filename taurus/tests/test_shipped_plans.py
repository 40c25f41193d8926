"""What the shipped files mean for document-store: seed, mix, load, data and tables, by profile and by target.

``shipped-plans.json`` has them in full; Java's ShippedPlansTest computes the hash of each plan from it. With
``SHARDLOAD_GOLDEN=write`` the test writes the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from shardload.config.check import check
from shardload.config.effective import build
from shardload.config.merge import merge
from shardload.config.places import Places

TAURUS = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "shipped-plans.json"
WORKLOAD = TAURUS / "workloads" / "document-store.yml"
PROFILES = sorted(path.stem for path in (TAURUS / "profiles").glob("*.yml"))
TARGETS = sorted(path.stem for path in (TAURUS / "targets").glob("*.yml"))


def effective(target: str, profile: str) -> dict[str, object]:
    files = [
        TAURUS / "base.yml",
        TAURUS / "targets" / f"{target}.yml",
        WORKLOAD,
        TAURUS / "profiles" / f"{profile}.yml",
    ]
    config = build(check(merge(files, [], Places(TAURUS.parent))), "golden", None, profile)
    return {
        "seed": config["workload"]["seed"],
        "scenario": config["scenario"],
        "mix": config["mix"],
        "load": config["load"],
        "data": {key: value for key, value in config["workload"]["data"].items() if key != "tables"},
        "schema": config["schema"],
    }


def test_each_file_means_what_it_did() -> None:
    # Its faults are those of an embedded server.
    own = {"faults": "embedded-postgresql"}
    now = {f"noop {profile}": effective(own.get(profile, "noop"), profile) for profile in PROFILES}
    now.update({f"{target} smoke": effective(target, "smoke") for target in TARGETS})
    if os.environ.get("SHARDLOAD_GOLDEN") == "write":
        GOLDEN.write_text("{\n" + ",\n".join(f'"{name}": {json.dumps(one)}' for name, one in now.items()) + "\n}\n")
    assert now == json.loads(GOLDEN.read_text())
