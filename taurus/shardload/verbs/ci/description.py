"""One line about a run or a series, for the list of builds; as text and as HTML with a link to Grafana."""

from __future__ import annotations

import html
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from shardload import exit_codes
from shardload.config.problem import Problem
from shardload.config.values.quantities import show_nanos
from shardload.results.searches import interval, p99_at_low, rate_of, show_rate

_DASHBOARD = "d/shardload-run"
# So that the first and the last second are in the picture, and the verdict, which comes after the verification.
_BEFORE = timedelta(seconds=30)
_AFTER = timedelta(minutes=2)
_VERDICTS = {
    exit_codes.OK: "ok",
    exit_codes.INTERRUPTED: "interrupted",
    exit_codes.MISSED: "missed",
    exit_codes.WRONG_DATA: "wrong",
    exit_codes.INVALID: "invalid",
}


def of_run(summary: Mapping[str, Any]) -> str:
    """Return verdict, achieved rate, p99 and capacity of a run."""
    is_valid = (summary.get("verdict") or {}).get("name") != "invalid"
    parts = [_figures(summary), _capacity(summary.get("capacity")) if is_valid else ""]
    told = ", ".join(part for part in parts if part)
    fake = " (a fake server)" if summary.get("fake") else ""
    return f"{(summary.get('verdict') or {}).get('name') or 'not judged'}: {told or 'no figures'}{fake}"


def of_series(series: Mapping[str, Any], summaries: Mapping[int, Mapping[str, Any]]) -> str:
    """Return the worst verdict and the medians of each side; ``summaries`` by the numbers of the runs."""
    runs = series.get("runs") or []
    codes = [int(run.get("exit") or 0) for run in runs]
    is_whole = series.get("state") == "complete"
    worst = exit_codes.worst(codes if is_whole else [*codes, exit_codes.INTERRUPTED])
    planned = len(series.get("order") or runs)
    told = [f"{planned} runs" if is_whole else f"{len(runs)} of {planned} runs"]
    for side in series.get("sides") or []:
        own = [summaries[run["number"]] for run in runs if run["side"] == side["label"] and run["number"] in summaries]
        told.append(f"{side['label']} ({side['name']}) {_medians(own)}")
    return f"{_VERDICTS[worst]}: {'; '.join(told)}"


def of_search(search: Mapping[str, Any]) -> str:
    """Return the verdict, the interval, p99 at its low end and the number of runs."""
    code = search.get("exit")
    verdict = _VERDICTS.get(exit_codes.INTERRUPTED if code is None else int(code), "not judged")
    low, p99, runs = rate_of(search, "low"), p99_at_low(search), len(search.get("runs") or [])
    told = [f"capacity {interval(search)}"]
    told += [f"p99 {show_nanos(p99)} at {show_rate(low)}/s"] if low is not None and p99 is not None else []
    return f"{verdict}: {', '.join([*told, '1 run' if runs == 1 else f'{runs} runs'])}"


def _figures(summary: Mapping[str, Any]) -> str:
    headline = summary.get("headline")
    if not isinstance(headline, Mapping):
        return "no step kept up" if summary.get("steps") else ""
    rate = headline.get("achieved_per_second")
    latency = headline.get("latency_ns") or {}
    p99, least = latency.get("p99"), (latency.get("at_least_ns") or {}).get("p99")
    shown = show_nanos(p99) if p99 is not None else f">= {show_nanos(least)}" if least is not None else "unknown"
    shown += " (the generator's)" if "p99" in (latency.get("without_generators_ns") or {}) else ""
    return f"{_rate(rate)}, p99 {headline.get('series', 'response')} {shown}"


def _rate(value: float | None) -> str:
    if value is None:
        return "rate unknown"
    return f"{value:,.0f} RPS" if value >= 100 else f"{value:.1f} RPS"


def _capacity(capacity: Any) -> str:
    if not isinstance(capacity, Mapping) or capacity.get("offered_per_second") is None:
        return ""
    least = "at least " if capacity.get("at_least") else ""
    return f"capacity {least}{_rate(capacity['offered_per_second'])}"


def _medians(summaries: Sequence[Mapping[str, Any]]) -> str:
    headlines = [summary["headline"] for summary in summaries if isinstance(summary.get("headline"), Mapping)]
    rates = [headline["achieved_per_second"] for headline in headlines if headline.get("achieved_per_second")]
    p99s = [headline["latency_ns"]["p99"] for headline in headlines if (headline.get("latency_ns") or {}).get("p99")]
    if not rates:
        return "no figures"
    p99 = show_nanos(statistics.median(p99s)) if p99s else "unknown"
    return f"{_rate(statistics.median(rates))}, p99 {p99}"


def as_html(text: str, link: str | None) -> str:
    """Return the line as HTML, with a link to the dashboard."""
    escaped = html.escape(text)
    return f'{escaped} <a href="{html.escape(link)}">Grafana</a>' if link else escaped


def check_service(flag: str, url: str) -> str:
    """Return the address of a service that an option names, without a slash at its end."""
    try:
        parts = urlsplit(url.strip())
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_address = False
    if "@" in url:
        raise Problem(f"{flag}: a user or password in a URL would appear in clear text; write only the address")
    if not is_address or parts.query or parts.fragment or any(c.isspace() or not c.isprintable() for c in url.strip()):
        shown = " ".join(url.split())
        raise Problem(f'{flag}: "{shown}" is not the address of a service; write it like http://grafana.example:3000')
    return url.strip().rstrip("/")


def grafana_link(grafana: str, summaries: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the address of the dashboard Run for the first run, in the time of all of them; None without a time."""
    spans = [(summary.get("started"), summary.get("ended")) for summary in summaries]
    known = [(_time(start), _time(end)) for start, end in spans if start and end]
    if not known:
        return None
    window = min(start for start, _ in known) - _BEFORE, max(end for _, end in known) + _AFTER
    first = next(summary for summary in summaries if summary.get("started") and summary.get("ended"))
    variables = {
        "var-target": first.get("target") or "",
        "var-run": first.get("run_id") or "",
        "from": round(window[0].timestamp() * 1000),
        "to": round(window[1].timestamp() * 1000),
    }
    return f"{grafana}/{_DASHBOARD}?{urlencode(variables, quote_via=quote)}"


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
