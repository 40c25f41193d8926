"""Keys of the configuration that the JSON Schemas cannot tell apart; all others are in ``taurus/schemas``."""

from __future__ import annotations

OF_TAURUS_ALONE = ("cli-aliases", "version", "install-id")
# Keys of ``schema`` that concern the end of any load, or that a schema file may ask for. The others set options of some
# workloads.
SCHEMA_OF_FOLDERS = ("checkpoint-after-load", "wait-for-balancer", "zones")
# Prefix of top-level keys that only hold anchors for other parts of the file (``<<: *base``).
FOR_ANCHORS = "x-"
FROM_TAURUS = ("cli", "included-configs", *OF_TAURUS_ALONE)
_LINTER = ("disable", "warn-on-unfamiliar-fields", "lint-and-exit", "ignored-warnings")
# Of base.yml alone, so no schema has it.
CLI = {
    "type": "object",
    "properties": {
        "linter": {"type": "object", "properties": {key: {} for key in _LINTER}, "additionalProperties": False}
    },
    "additionalProperties": False,
}
# Keys of a target that say nothing about what is tested, so no driver knows them.
FOREIGN_TO_DRIVERS = (
    "load-hosts",
    "controller-address",
    "hosts",
    "metrics",
    "host-metrics",
    "server-sessions",
    "price",
    "faults",
)
# Further sections in the workload.yml of a folder; the keys in them are names that the user chooses.
WORKLOAD_FOLDER = ("parameters", "transactions", "checks")
# The options that a folder declares, with -o the value of each.
OPTIONS = "options"
# Each sets the amount of data; the Java child resolves them.
COUNTS = ("documents", "tenants", "rows-per-find")
DATA_SIZES = ("documents", "dataset-size", "ratio-to-ram")
