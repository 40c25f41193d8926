package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.store.ScratchPlace;
import io.shardload.driver.jdbc.store.ScratchSql;

/** A schema with an advisory lock. */
public final class PostgresqlScratch {
  /** An arbitrary number, the same for all versions. */
  private static final long LOCK = 0x7368_6172_646c_6f61L;

  private static final String HOLDER =
      """
      SELECT coalesce(min(application_name), '') FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) + objid::bigint = %d
      """
          .formatted(LOCK);

  private static final String COMMENT =
      """
      SELECT coalesce(obj_description(oid, 'pg_namespace'), 'none') FROM pg_namespace
      WHERE nspname = '%s'
        AND EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass
          AND refobjid = pg_namespace.oid)
      """
          .formatted(ScratchPlace.NAME);

  // Citus keeps shards next to the table if the coordinator stores some.
  private static final String FOREIGN =
      """
      SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = 'shardload_scratch' AND relkind IN ('f', 'm', 'p', 'r', 'v')
        AND regexp_replace(relname, '_[0-9]+$', '') <> ALL (string_to_array('%1$s', ','))
        AND relname <> ALL (string_to_array('%1$s', ','))
      ORDER BY 1 LIMIT 1
      """;

  public static final ScratchSql SQL =
      new ScratchSql(
          "schema",
          "SELECT pg_try_advisory_lock(" + LOCK + ")",
          HOLDER,
          COMMENT,
          FOREIGN,
          "CREATE SCHEMA %1$s; COMMENT ON SCHEMA %1$s IS '%%1$s'".formatted(ScratchPlace.NAME),
          "CREATE ON DATABASE",
          "DROP SCHEMA IF EXISTS " + ScratchPlace.NAME + " CASCADE");

  private PostgresqlScratch() {}
}
