"""Dashboards of a few lines, for tests of the checker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
TRANSACTIONS = 'sum by (transaction) (rate(shardload_transactions_total{run_id=~"$run"}[$__rate_interval]))'


def panel(expression: str = TRANSACTIONS, **changes: Any) -> dict[str, Any]:
    target = {"refId": "A", "expr": expression, "datasource": SOURCE, **changes.pop("target", {})}
    return {
        "id": 1,
        "type": "timeseries",
        "title": "Transactions",
        "description": "Transactions per second.",
        "gridPos": {"x": 0, "y": 0, "w": 12, "h": 8},
        "fieldConfig": {"defaults": {"unit": "ops"}, "overrides": []},
        "targets": [target],
        **changes,
    }


def variable(name: str, query: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "type": "query", "query": {"query": query, "refId": "V"}, **changes}


RUN = variable("run", "label_values(shardload_transactions_total, run_id)", multi=True, includeAll=True)


def dashboard(*panels: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "uid": "test",
        "title": "Test",
        "panels": list(panels) or [panel()],
        "templating": {"list": [RUN]},
        "annotations": {"list": []},
        **changes,
    }


def written(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "test.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
