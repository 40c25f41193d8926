"""Whether generators sample their own machines: the key ``host-metrics`` of a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardload.config.merge import KeyPath, Merged
from shardload.config.problem import Problem, unknown

LOCAL, OFF = "local", "off"

_KEY: KeyPath = ("target", "host-metrics")


def read_host_metrics(merged: Merged, target: Mapping[str, Any]) -> str:
    """Return ``local`` or ``off``. A store takes the place of sampling: a target names one of the two."""
    value = target.get("host-metrics")
    value = OFF if value is False else value  # YAML takes off for false
    if value not in (None, LOCAL, OFF):
        raise Problem(f"{merged.place(_KEY)}: {unknown('value', value, (LOCAL, OFF))}")
    metrics = target.get("metrics")
    store = isinstance(metrics, Mapping) and metrics.get("url")
    if store and value == LOCAL:
        raise Problem(f"{merged.place(_KEY)}: metrics.url takes the place of host-metrics; leave out one of the two")
    return OFF if store or value == OFF else LOCAL
