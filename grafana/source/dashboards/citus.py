"""PostgreSQL and Citus: the coordinator's view of its workers."""

from __future__ import annotations

from .panels import Look, Panel, lines
from .servers import query, value

NO_CITUS = "no data (only a coordinator of Citus has some)"


def panels() -> list[Panel]:
    """Return shards, connections and rebalancing."""

    def by_worker(name: str) -> str:
        return value(f"shardload_citus_{name}", by="worker", operation="max")

    def states(name: str) -> str:
        return value(f"shardload_citus_{name}", by="state", operation="max")

    last_only = ("lastNotNull",)
    return [
        lines(
            "Shards per worker",
            "Shards that each worker holds. "
            "Level lines are the aim; a new worker has none until the tables are rebalanced.",
            "short",
            [query(by_worker("shards"), "{{worker}}")],
            Look(span=8, no_value=NO_CITUS, calcs=last_only),
        ),
        lines(
            "Bytes per worker",
            "Bytes of the shards of each worker. Unequal bytes with equal shards come from few or uneven values "
            "of the distribution column.",
            "bytes",
            [query(by_worker("shard_bytes"), "{{worker}}")],
            Look(span=8, no_value=NO_CITUS, calcs=last_only),
        ),
        lines(
            "Connections to workers",
            "Connections that the coordinator holds to each worker. A statement to all shards opens several at once.",
            "short",
            [query(by_worker("connections"), "{{worker}}")],
            Look(span=8, no_value=NO_CITUS),
        ),
        lines(
            "Bytes per distributed table",
            "Bytes of each distributed table over all workers, indexes included.",
            "bytes",
            [query(value("shardload_citus_table_bytes", by="table", operation="max"), "{{table}}")],
            Look(span=8, no_value=NO_CITUS, calcs=last_only),
        ),
        lines(
            "Workers",
            "Workers that take part, and those that are disabled (dashed). A disabled worker's shards cannot be asked.",
            "short",
            [
                query(value("shardload_citus_workers_active", by="target", operation="max"), "{{target}} active"),
                query(value("shardload_citus_workers_inactive", by="target", operation="max"), "{{target}} inactive"),
            ],
            Look(span=8, no_value=NO_CITUS, dashed="/inactive$/", calcs=last_only),
        ),
        lines(
            "Rebalancing",
            "Jobs of the rebalancer by state, and moves of shards (dashed). "
            "Rebalancing during a measurement belongs into its explanation.",
            "short",
            [
                query(states("rebalance_jobs"), "jobs {{state}}"),
                query(states("shard_moves"), "moves {{state}}"),
            ],
            Look(span=8, no_value=NO_CITUS, dashed="/^moves/", calcs=("max", "lastNotNull")),
        ),
    ]
