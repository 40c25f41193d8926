"""Run: the generators' own health."""

from __future__ import annotations

from . import palette
from .panels import Look, Panel, Query, lines
from .promql import of_generators, rate, ratio, total


def panels() -> list[Panel]:
    """Return what shows whether the measurement can be trusted."""

    def worst(name: str) -> str:
        return f"max by (generator) (max_over_time({of_generators(name)}[$__rate_interval]))"

    def per_second(name: str) -> str:
        return total(rate(of_generators(name)), "generator")

    def summary_mean(name: str) -> str:
        return ratio(per_second(f"{name}_sum"), per_second(f"{name}_count"))

    cores = f"sum by (generator) ({of_generators('shardload_generator_cores')})"
    legend = "generator {{generator}}"
    return [
        lines(
            "CPU of the generators",
            "Share of its cores that each generator uses. Above 60 % the run counts as bound by its generators, "
            "unless the server shares the machine.",
            "percentunit",
            [Query(f"{per_second('shardload_generator_cpu_seconds_total')} / {cores}", legend)],
            Look(span=8, colours=palette.GENERATORS, limits=(0.6,), maximum=1),
        ),
        lines(
            "Garbage collection",
            "Share of the time that each generator spent in garbage collection. Some percent are harmless; "
            "peaks together with hiccups are pauses that delayed calls.",
            "percentunit",
            [Query(per_second("shardload_generator_gc_seconds_total"), legend)],
            Look(span=8, colours=palette.GENERATORS, limits=(0.05, 0.2)),
        ),
        lines(
            "Hiccups, longest of the last 15 s",
            "How long a thread that only sleeps woke too late: the machine or the JVM stood still. "
            "A peak of response time with a hiccup of the same size is the generator's, not the server's.",
            "s",
            [Query(worst("shardload_generator_hiccup_max_seconds"), legend)],
            Look(span=8, colours=palette.GENERATORS, limits=(0.01, 0.1)),
        ),
        lines(
            "Late begins, longest of the last 15 s",
            "How late an arrival began although a worker was ready. More than 1 % over a millisecond in a segment "
            "makes the run invalid.",
            "s",
            [
                Query(worst("shardload_generator_late_max_seconds"), f"{legend}, longest"),
                Query(summary_mean("shardload_generator_late_seconds"), f"{legend}, mean"),
            ],
            Look(span=8, colours=palette.GENERATORS, limits=(0.001,), dashed="/, mean$/"),
        ),
        lines(
            "Backlog and workers",
            "Arrivals that are due and not begun, by generator; the dashed line is the number of workers. "
            "A backlog beyond the workers means that every worker is busy: the open model keeps asking.",
            "short",
            [
                Query(
                    f"sum by (generator) ({of_generators('shardload_generator_backlog_arrivals')})",
                    f"{legend}, backlog",
                ),
                Query(f"sum by (generator) ({of_generators('shardload_generator_workers')})", f"{legend}, workers"),
            ],
            Look(span=8, colours=palette.GENERATORS, dashed="/, workers$/"),
        ),
        lines(
            "Oldest unfinished arrival",
            "Age of the oldest arrival without an answer. A line that climbs at 45 degrees is a standstill; "
            "it falls when the server answers again.",
            "s",
            [Query(worst("shardload_generator_oldest_unfinished_seconds"), legend)],
            Look(span=8, colours=palette.GENERATORS, limits=(1, 10)),
        ),
    ]
