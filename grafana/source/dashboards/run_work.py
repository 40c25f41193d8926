"""Run: phases, errors and data."""

from __future__ import annotations

from . import palette
from .panels import Look, Panel, Query, lines
from .promql import equals, mean, of_mix, per, rate, total


def phases() -> list[Panel]:
    """Return where the time of a call goes."""
    answered = total(rate(of_mix("shardload_duration_seconds_count", 'phase="service"')))

    def share(phase: str, outcome: str) -> str:
        spent = of_mix("shardload_phase_seconds_sum", equals("phase", phase), equals("outcome", outcome))
        return per(total(rate(spent)), answered)

    def by_transaction(phase: str, what: str) -> Panel:
        return lines(
            f"{phase.capitalize()}, mean by transaction",
            f"{what} Means, for phases are kept as sum and count; 0 where the phase does not occur.",
            "s",
            [
                Query(
                    mean("shardload_phase_seconds", (f'phase="{phase}"', 'outcome="answered"'), "transaction"),
                    "{{transaction}}",
                )
            ],
            Look(span=8, height=12, colours=palette.TRANSACTIONS),
        )

    return [
        lines(
            "Where the time of a call goes",
            "Mean time per answered call, stacked: wait (due to begun), connect, search, fetch. "
            "The widest band is where to look first; a gap means that no call was answered.",
            "s",
            [
                Query(share("wait", "begun"), "wait"),
                *(Query(share(phase, "answered"), phase) for phase in ("connect", "search", "fetch")),
            ],
            Look(span=24, height=7, colours=palette.PHASES, stacked=True),
        ),
        by_transaction("connect", "Time to obtain a connection."),
        by_transaction("search", "Time until the first row, or until a write was acknowledged."),
        by_transaction("fetch", "Time to read the rest of the rows."),
    ]


def errors() -> list[Panel]:
    """Return what went wrong, and what came back."""
    failing = mean("shardload_phase_seconds", ('phase="service"', 'outcome="error"'))
    dropped = mean("shardload_phase_seconds", ('phase="wait"', 'outcome="dropped"'))
    return [
        lines(
            "Errors by kind",
            'Failed and unknown calls per second by kind; "none" is a line at 0 that is always there. '
            "Timeouts together with a rising backlog mean overload, refused connections a server that is down.",
            "ops",
            [Query(total(rate(of_mix("shardload_errors_total")), "kind"), "{{kind}}")],
            Look(span=8),
        ),
        lines(
            "Outcomes other than done",
            "Missing found nothing, which is legitimate; refused was rolled back, because a guard was not met; failed "
            "had no effect; unknown may have had one; dropped was never begun. Verification settles "
            "unknown writes.",
            "ops",
            [
                *(
                    Query(total(rate(of_mix("shardload_transactions_total", f'outcome="{outcome}"'))), outcome)
                    for outcome in ("missing", "refused", "failed", "unknown")
                ),
                Query(total(rate(of_mix("shardload_arrivals_dropped_total"))), "dropped"),
            ],
            Look(span=8, colours=palette.OUTCOMES),
        ),
        lines(
            "Stale reads, retries",
            "Reads that missed or showed an older state of a document that had been acknowledged, and attempts after "
            "the first. Stale reads on a primary are a defect, on replicas the price of their lag.",
            "ops",
            [
                Query(total(rate(of_mix("shardload_stale_reads_total"))), "stale reads"),
                Query(total(rate(of_mix("shardload_retries_total"))), "retries"),
            ],
            Look(span=8, colours={"/^stale/": palette.VERMILION, "/^retries/": palette.SKY}),
        ),
        lines(
            "Time of calls without an answer",
            "Mean service time of failed and unknown calls, and mean wait of dropped arrivals. "
            "A value at the statement timeout means that calls time out; 0 means that there were none.",
            "s",
            [Query(failing, "failed, unknown"), Query(dropped, "wait of dropped")],
            Look(span=10, colours={"/^failed/": palette.VERMILION, "/^wait/": palette.PURPLE}),
        ),
        lines(
            "Rows per second",
            "Rows or documents that finds returned and writes touched. "
            "Compare it with the rows that the server scans, to see how much more it reads than it returns.",
            "ops",
            [Query(total(rate(of_mix("shardload_rows_total")), "transaction"), "{{transaction}}")],
            Look(span=14, height=9, colours=palette.TRANSACTIONS, calcs=("mean",)),
        ),
    ]
