"""A store that answers PromQL: VictoriaMetrics or Prometheus."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

PATIENCE_SECONDS = 30


class StoreError(Exception):
    """The store refused a query; the text is the store's own reason, in one line."""


class StoreUnreachable(Exception):
    """Nothing that speaks the query API of Prometheus answers at the address."""


@dataclass(frozen=True)
class Store:
    """The query API at an address such as ``http://127.0.0.1:8428``."""

    url: str

    def label_values(self, label: str, selector: str, start: float, end: float) -> list[str]:
        """Return the values of a label among the series of a selector."""
        parameters = {"start": f"{start:.3f}", "end": f"{end:.3f}"}
        if selector:
            parameters["match[]"] = selector
        path = f"/api/v1/label/{urllib.parse.quote(label)}/values?{urllib.parse.urlencode(parameters)}"
        return list(self._call(path, None))

    def metric_names(self) -> set[str]:
        """Return the names of all metrics."""
        return set(self._call("/api/v1/label/__name__/values", None))

    def query(self, expression: str, time: float) -> list[dict[str, Any]]:
        """Return the series with a ``value`` each; a scalar is a series without labels."""
        data = self._call("/api/v1/query", {"query": expression, "time": f"{time:.3f}"})
        if data["resultType"] in ("scalar", "string"):
            return [{"metric": {}, "value": data["result"]}]
        return list(data["result"])

    def query_range(self, expression: str, start: float, end: float, step: float) -> list[dict[str, Any]]:
        """Return the series with ``values`` each."""
        parameters = {"query": expression, "start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:g}"}
        # VictoriaMetrics would keep answers whose last points are not complete yet.
        return list(self._call("/api/v1/query_range", {**parameters, "nocache": "1"})["result"])

    def _call(self, path: str, form: dict[str, str] | None) -> Any:
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        try:
            with urllib.request.urlopen(self.url.rstrip("/") + path, body, timeout=PATIENCE_SECONDS) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise StoreUnreachable(f"the store {self.url} cannot be reached: {reason}") from None
        return self._parsed(text)["data"]

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        text = error.read().decode(errors="replace")
        try:
            return StoreError(" ".join(str(json.loads(text)["error"]).split()))
        except (ValueError, KeyError, TypeError):
            return StoreUnreachable(f"{self.url} is not a store: it answered {error.code} {error.reason}")

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict) or "data" not in parsed:
            raise StoreUnreachable(f"{self.url} is not a store: its answer is not that of the query API of Prometheus")
        return parsed
