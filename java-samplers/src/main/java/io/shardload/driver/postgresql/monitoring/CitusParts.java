package io.shardload.driver.postgresql.monitoring;

import static io.shardload.driver.postgresql.monitoring.Metric.citus;

import java.util.List;

/** The queries to a coordinator about its cluster; versions are PostgreSQL versions. */
final class CitusParts {
  /** The part that is what each worker reports of itself. */
  static final String WORKERS_SERVERS = "citus-servers";

  private static final String WORKERS =
      """
      SELECT count(*) FILTER (WHERE isactive) AS workers_active,
        count(*) FILTER (WHERE NOT isactive) AS workers_inactive
      FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary'
      """;

  private static final String SHARDS =
      """
      SELECT nodename || ':' || nodeport AS worker, count(shardid) AS shards
      FROM pg_dist_node LEFT JOIN pg_dist_placement USING (groupid)
      WHERE noderole = 'primary' GROUP BY 1 HAVING bool_or(groupid <> 0) OR count(shardid) > 0
      """;

  // A sum over shards of which one is not known would be too small. Few tables are enough.
  private static final String SIZES =
      """
      WITH shard AS MATERIALIZED (SELECT * FROM citus_shards)
      SELECT nodename || ':' || nodeport AS worker, NULL AS "table",
        CASE WHEN bool_and(shard_size IS NOT NULL) THEN sum(shard_size) END AS shard_bytes,
        NULL::numeric AS table_bytes
      FROM shard GROUP BY 1
      UNION ALL (SELECT NULL, table_name::text, NULL,
        CASE WHEN bool_and(shard_size IS NOT NULL) THEN sum(shard_size) END
      FROM shard GROUP BY 2 ORDER BY 4 DESC NULLS LAST LIMIT 50)
      """;

  private static final String CONNECTIONS =
      """
      SELECT nodename || ':' || nodeport AS worker,
        coalesce(sum(connection_count_to_node), 0) AS connections
      FROM pg_dist_node LEFT JOIN citus_remote_connection_stats() AS stats
        ON hostname = nodename AND port = nodeport AND database_name = current_database()
      WHERE noderole = 'primary' AND groupid <> 0 GROUP BY 1
      """;

  private static final String JOBS =
      """
      SELECT known.state::text AS state, count(job_id) AS rebalance_jobs
      FROM unnest(enum_range(NULL::citus_job_status)) AS known (state)
      LEFT JOIN pg_dist_background_job AS job ON job.state = known.state AND job_type = 'rebalance'
      GROUP BY 1
      """;

  private static final String MOVES =
      """
      SELECT known.state, count(task_id) AS shard_moves
      FROM (VALUES ('waiting', '{blocked,runnable,unscheduled}'::text[]), ('moving', '{running}'),
        ('done', '{done}'), ('failed', '{error,cancelling,cancelled}')) AS known (state, statuses)
      LEFT JOIN pg_dist_background_task ON status::text = ANY (statuses)
        AND job_id = (SELECT max(job_id) FROM pg_dist_background_job WHERE job_type = 'rebalance')
      GROUP BY 1
      """;

  static final List<Part> ALL =
      List.of(
          Part.of(
              "citus-workers",
              WORKERS,
              citus("workers_active", "Workers that the coordinator uses."),
              citus("workers_inactive", "Workers that were disabled.")),
          Part.of("citus-shards", SHARDS, citus("shards", "Placements of shards, by worker.")),
          Part.of(
                  "citus-sizes",
                  SIZES,
                  citus("shard_bytes", "Bytes of the shards on a worker, with their indexes."),
                  citus(
                      "table_bytes",
                      "Bytes of a table over all its shards, with its indexes; a reference table counts once"
                          + " per node."))
              .rarely(),
          Part.of(
              "citus-connections",
              CONNECTIONS,
              citus("connections", "Connections of the coordinator to a worker.")),
          Part.of("citus-jobs", JOBS, citus("rebalance_jobs", "Rebalancing jobs by their state.")),
          Part.of(
              "citus-moves",
              MOVES,
              citus("shard_moves", "Moves of shards in the latest rebalancing, by their state.")));

  private CitusParts() {}
}
