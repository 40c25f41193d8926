"""The keys that each section of the configuration knows."""

from __future__ import annotations

from collections.abc import Collection

TOP = (
    "execution",
    "scenarios",
    "reporting",
    "services",
    "target",
    "schema",
    "workload",
    "run",
    "settings",
    "modules",
    "provisioning",
    "search",
)
OF_TAURUS_ALONE = ("cli-aliases", "version", "install-id")
# Keys of ``schema`` that concern the end of any load; the others make the tables of the built-in workload.
SCHEMA_OF_FOLDERS = ("checkpoint-after-load", "wait-for-balancer")
# Prefix of top-level keys that only hold anchors for other parts of the file (``<<: *base``).
FOR_ANCHORS = "x-"
FROM_TAURUS = ("cli", "included-configs", *OF_TAURUS_ALONE)
SETTINGS = ("artifacts-dir", "aggregator", "default-executor", "check-interval", "check-updates", "verbose")
MODULES: dict[str, Collection[str]] = {
    "local": ("class",),
    "consolidator": ("class", "percentiles", "generalize-labels", "max-error-variety"),
    "passfail": ("class",),
    "shardload-console": ("class",),
    "shardload": ("class", "heap"),
    "final-stats": ("class",),
    "junit-xml": ("class",),
    "shellexec": ("class",),
}
REPORTERS: dict[str, Collection[str]] = {
    "passfail": ("module", "criteria"),
    "shardload-console": ("module",),
    "junit-xml": ("module", "filename", "data-source"),
    "final-stats": (
        "module",
        "summary",
        "percentiles",
        "summary-labels",
        "failed-labels",
        "test-duration",
        "dump-csv",
        "dump-xml",
    ),
}
SERVICES: dict[str, Collection[str]] = {
    "shellexec": ("module", "prepare", "startup", "check", "shutdown", "post-process", "run-at"),
}
LINTER = ("disable", "warn-on-unfamiliar-fields", "lint-and-exit", "ignored-warnings")
# Keys of a target that say nothing about what is tested, so no driver knows them.
FOREIGN_TO_DRIVERS = ("load-hosts", "controller-address", "hosts", "metrics", "host-metrics")
EXECUTION = (
    "concurrency",
    "throughput",
    "ramp-up",
    "steps",
    "stages",
    "hold-for",
    "warm-up",
    "think-time",
    "scenario",
    "arrivals",
    "retries",
    "statement-timeout",
    "verification",
    "samples",
    "limits",
    "stop-after-failed-steps",
    "executor",
    "distributed",
    "on-generator-loss",
)
STAGE = ("throughput", "for", "ramp", "name")
THINK_TIME = ("mean", "distribution")
TARGET = (
    "driver",
    "embedded",
    "embedded-heap",
    "url",
    "user",
    "password-env",
    "server-ram",
    "options",
    "redis",
    *FOREIGN_TO_DRIVERS,
)
WORKLOAD = ("name", "seed", "data")
# Further sections in the workload.yml of a folder; the keys in them are names that the user chooses.
WORKLOAD_FOLDER = ("parameters", "transactions", "checks")
# Each sets the amount of data; the Java child resolves them.
COUNTS = ("documents", "tenants", "rows-per-find")
DATA_SIZES = ("documents", "dataset-size", "ratio-to-ram")
