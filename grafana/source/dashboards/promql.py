"""PromQL in small pieces that mean the same to Prometheus and to VictoriaMetrics.

No function of MetricsQL is used, and no ``changes()``: VictoriaMetrics counts a series' first sample as a change,
Prometheus does not.
"""

from __future__ import annotations

# A run that was scraped and then published has each series twice: live and bundle. A query selects one of them.
RUN = 'run_id="$run",source="$source"'
SOURCES = ("bundle", "live")
MIX = 'transaction=~"$transaction",generator=~"$generator"'

# The outcomes of calls.
ANSWERED = 'outcome=~"done|missing|refused"'
ERRORS = 'outcome=~"failed|unknown"'
PERCENTILES = ((0.5, "p50"), (0.95, "p95"), (0.99, "p99"))

# Of a series that may lie before or behind the dashboard's window, or a step: this reaches 90 days to both sides.
AT_ANY_TIME = "[180d] offset -90d"

# node_exporter and server-metrics are scraped every 5 s, generators and controller every second.
SERVER_STEP = "5s"


def select(name: str, *matchers: str) -> str:
    """Return a selector, such as ``up{job="node"}``."""
    return f"{name}{{{','.join(matchers)}}}"


def equals(label: str, value: str) -> str:
    """Return the matcher of a label that has this value."""
    return f'{label}="{value}"'


def of_mix(name: str, *matchers: str) -> str:
    """Return the selector of a metric of the generators that is kept by transaction."""
    return select(name, RUN, MIX, *matchers)


def of_generators(name: str) -> str:
    """Return the selector of a metric of the generators' processes."""
    return select(name, RUN, 'generator=~"$generator"')


def rate(selector: str, shift: str = "") -> str:
    """Return the rate per second of a counter; the shift is an offset."""
    return f"rate({selector}[$__rate_interval]{shift})"


def last(selector: str) -> str:
    """Return the last value in the dashboard's window, also of a series that has ended since."""
    return f"last_over_time({selector}[$__range])"


def result(selector: str) -> str:
    """Return by how much a counter grew from the start of the results, or of the window, to the window's end.

    A series that begins later begins at 0.
    """
    return f"({last(selector)} - last_over_time({selector}[5m] @ $results) or {last(selector)})"


def while_loaded(expression: str, on: str = "") -> str:
    """Return the expression without what lies before and after the load of the run, if the store has the run.

    The mask uses the values of start and end, not the times of their samples: those of the end come a little after it,
    and stop long before the rates of a wide window, which all fall to 0, do.
    """
    start, end = (
        f"last_over_time({select(f'shardload_run_{each}_timestamp_seconds', RUN)}{AT_ANY_TIME})"
        for each in ("start", "end")
    )
    return f"{expression} unless on ({on}) ({start} > time() or {end} < time())"


def total(expression: str, by: str = "") -> str:
    """Return the sum, by these labels."""
    return f"sum by ({by}) ({expression})" if by else f"sum({expression})"


def ratio(above: str, below: str) -> str:
    """Return a quotient of rates that is 0, not undefined, where nothing happened.

    The upper rate must be 0 where the lower rate is 0; otherwise see ``per``.
    """
    return f"{above} / clamp_min({below}, 1e-9)"


def per(above: str, below: str) -> str:
    """Return a quotient of rates of different things; it has no value where the lower one is 0."""
    return f"{above} / ({below} > 0)"


def mean(name: str, matchers: tuple[str, ...], by: str = "") -> str:
    """Return the average of a summary of the generators: the rate of its sum over that of its count."""
    above = total(rate(of_mix(f"{name}_sum", *matchers)), by)
    below = total(rate(of_mix(f"{name}_count", *matchers)), by)
    return ratio(above, below)


def quantile(which: float, phase: str, by: str = "") -> str:
    """Return a percentile of all answered calls: the generators' buckets are added, percentiles never averaged."""
    buckets = total(rate(of_mix("shardload_duration_seconds_bucket", f'phase="{phase}"')), f"le, {by}" if by else "le")
    return f"histogram_quantile({which}, {buckets})"
