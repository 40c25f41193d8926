package io.shardload.driver.postgresql.monitoring;

import static io.shardload.driver.postgresql.monitoring.Metric.counter;
import static io.shardload.driver.postgresql.monitoring.Metric.gauge;

import java.util.List;

/**
 * The queries to each server. Texts of an answer are labels, numbers are values, NULL means no
 * reading. The monitor's own session is left out where sessions are counted; its transactions, one
 * for each read, are not.
 */
final class PostgresqlParts {
  private static final int V14 = 14;
  private static final int V16 = 16;
  private static final int V17 = 17;
  private static final int V18 = 18;

  private static final String LIMITS =
      "SELECT current_setting('max_connections')::int AS connections_max";

  // Before version 18, a session that is starting has no state. A later version may have further
  // states, which are counted as well.
  private static final String CONNECTIONS =
      """
      SELECT state, count(pid) AS connections
      FROM unnest(ARRAY['starting', 'active', 'idle', 'idle in transaction',
        'idle in transaction (aborted)', 'fastpath function call', 'disabled']) AS known (state)
      FULL JOIN (SELECT coalesce(state, 'starting') AS state, pid FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS session USING (state)
      GROUP BY state
      """;

  private static final String WAITING =
      """
      SELECT known.type, count(pid) AS connections_waiting
      FROM unnest(ARRAY['BufferPin', 'Client', 'Extension', 'IO', 'IPC', 'Lock', 'LWLock',
        'Timeout']) AS known (type)
      LEFT JOIN pg_stat_activity AS session ON wait_event_type = known.type AND state = 'active'
        AND backend_type = 'client backend' AND pid <> pg_backend_pid()
      GROUP BY known.type
      """;

  private static final String ACTIVITY =
      """
      SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)
          FILTER (WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())), 0)
          AS longest_transaction_seconds,
        count(*) FILTER (WHERE backend_type = 'autovacuum worker') AS autovacuum_workers
      FROM pg_stat_activity
      """;

  private static final String DATABASE =
      """
      SELECT xact_commit AS "transactions.commit", xact_rollback AS "transactions.rollback",
        blks_hit AS blocks_hit, blks_read AS blocks_read, tup_returned AS "rows.returned",
        tup_fetched AS "rows.fetched", tup_inserted AS "rows.inserted",
        tup_updated AS "rows.updated", tup_deleted AS "rows.deleted", deadlocks,
        temp_files AS temporary_files, temp_bytes AS temporary_bytes
      FROM pg_stat_database WHERE datname = current_database()
      """;

  // The times of syncs are 0 where they are not taken. %s counts the syncs.
  private static final String WAL =
      """
      SELECT wal_records, wal_bytes, wal_fpi AS wal_full_page_images, wal_buffers_full,
        syncs AS wal_syncs,
        CASE WHEN current_setting('track_wal_io_timing')::bool THEN sync_time / 1000 END
          AS wal_sync_seconds
      FROM pg_stat_wal, LATERAL (SELECT %s) AS synced (syncs, sync_time)
      """;
  private static final String SYNCS_14 = "wal_sync, wal_sync_time";
  private static final String SYNCS_18 =
      "sum(fsyncs), sum(fsync_time) FROM pg_stat_io WHERE object = 'wal'";

  private static final String CHECKPOINTS =
      """
      SELECT checkpoints_timed AS "checkpoints.timed", checkpoints_req AS "checkpoints.requested",
        checkpoint_write_time / 1000 AS checkpoint_write_seconds,
        checkpoint_sync_time / 1000 AS checkpoint_sync_seconds,
        buffers_checkpoint AS "buffers_written.checkpointer",
        buffers_clean AS "buffers_written.background", buffers_backend AS "buffers_written.backend"
      FROM pg_stat_bgwriter
      """;

  // What backends wrote, pg_stat_bgwriter does not count any more. %s are buffers.
  private static final String CHECKPOINTER =
      """
      SELECT num_timed AS "checkpoints.timed", num_requested AS "checkpoints.requested",
        restartpoints_done AS "checkpoints.restartpoint",
        checkpointer.write_time / 1000 AS checkpoint_write_seconds,
        checkpointer.sync_time / 1000 AS checkpoint_sync_seconds,
        checkpointer.buffers_written AS "buffers_written.checkpointer",
        buffers_clean AS "buffers_written.background",
        (SELECT sum(%s) FROM pg_stat_io WHERE object = 'relation'
          AND backend_type NOT IN ('checkpointer', 'background writer')) AS "buffers_written.backend"
      FROM pg_stat_checkpointer AS checkpointer, pg_stat_bgwriter
      """;
  private static final String BUFFERS_17 = "coalesce(writes, 0) + coalesce(extends, 0)";
  private static final String BUFFERS_18 =
      "(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))"
          + " / current_setting('block_size')::int";

  // From older views. Their writes include those that extend a file, whose times they lack: so a
  // write has no time.
  private static final String IO_BEFORE_16 =
      """
      SELECT backend, 'relation' AS object, 'normal' AS context,
        reads AS "io_operations.read", writes AS "io_operations.write",
        reads * size AS "io_bytes.read", writes * size AS "io_bytes.write",
        CASE WHEN current_setting('track_io_timing')::bool THEN read_time / 1000 END
          AS "io_seconds.read"
      FROM pg_stat_bgwriter,
        (SELECT sum(blks_read), sum(blk_read_time) FROM pg_stat_database) AS seen (blocks, millis),
        LATERAL (VALUES ('client backend, autovacuum', blocks, millis, buffers_backend),
          ('checkpointer', NULL, NULL, buffers_checkpoint),
          ('background writer', NULL, NULL, buffers_clean)) AS io (backend, reads, read_time, writes),
        LATERAL (SELECT current_setting('block_size')::bigint) AS block (size)
      """;

  // Times are 0 where they are not taken, which would look like a fast disk.
  private static final String IO =
      """
      SELECT backend_type AS backend, object, context,
        reads AS "io_operations.read", writes AS "io_operations.write",
        extends AS "io_operations.extend", fsyncs AS "io_operations.fsync",
        %s,
        CASE WHEN timed THEN read_time / 1000 END AS "io_seconds.read",
        CASE WHEN timed THEN write_time / 1000 END AS "io_seconds.write",
        CASE WHEN timed THEN extend_time / 1000 END AS "io_seconds.extend",
        CASE WHEN timed THEN fsync_time / 1000 END AS "io_seconds.fsync"
      FROM pg_stat_io, LATERAL (SELECT current_setting(CASE object
        WHEN 'wal' THEN 'track_wal_io_timing' ELSE 'track_io_timing' END)::bool) AS tracked (timed)
      WHERE backend_type <> 'standalone backend' AND (
        coalesce(reads, 0) + coalesce(writes, 0) + coalesce(extends, 0) + coalesce(fsyncs, 0) > 0
        OR object = 'relation' AND context = 'normal' AND backend_type IN ('client backend',
          'checkpointer', 'background writer', 'autovacuum worker'))
      """;
  private static final String BYTES_16 =
      """
      reads * op_bytes AS "io_bytes.read", writes * op_bytes AS "io_bytes.write",
        extends * op_bytes AS "io_bytes.extend"
      """;
  private static final String BYTES_18 =
      """
      read_bytes AS "io_bytes.read", write_bytes AS "io_bytes.write",
        extend_bytes AS "io_bytes.extend"
      """;

  // The largest ones; the shards of a distributed table, and partitions by date, are one table.
  private static final String TABLES =
      """
      SELECT regexp_replace(relname, '_[0-9]{6,}$', '') AS "table",
        sum(seq_scan) AS "table_scans.sequential", sum(coalesce(idx_scan, 0)) AS "table_scans.index",
        sum(seq_tup_read) AS table_scanned_rows, sum(n_live_tup) AS table_live_rows,
        sum(n_dead_tup) AS table_dead_rows
      FROM pg_stat_user_tables GROUP BY 1 ORDER BY sum(n_live_tup + n_dead_tup) DESC LIMIT 20
      """;

  // The extension has parameters in the place of values, except in commands such as CREATE ROLE.
  // A statement that names its view fails where the extension is missing, hence a text in a text.
  // The monitor's own questions are left out, and the shards of a table are one.
  private static final String STATEMENTS =
      """
      SELECT statement, calls AS statement_calls, seconds AS statement_seconds
      FROM json_to_recordset(CASE WHEN to_regclass('pg_stat_statements') IS NOT NULL
          AND current_setting('pg_stat_statements.max', true) IS NOT NULL
        THEN convert_from(decode((xpath('//answer/text()', query_to_xml('SELECT
            encode(convert_to(json_agg(top)::text, ''UTF8''), ''hex'') AS answer FROM (
              SELECT left(regexp_replace(regexp_replace(query, ''\\s+'', '' '', ''g''),
                ''_[0-9]{6,}'', '''', ''g''), 100) AS statement,
                sum(calls) AS calls, sum(total_exec_time) / 1000 AS seconds
              FROM pg_stat_statements
              WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND query ~* ''^\\s*(select|insert|update|delete|merge|with)\\M''
                AND query !~ ''json_agg|run_command_on_workers''
              GROUP BY 1 ORDER BY 3 DESC LIMIT 10) AS top', true, false, '')))[1]::text, 'hex'),
          'UTF8')::json
        ELSE '[]' END) AS top (statement text, calls numeric, seconds double precision)
      """;

  // Every transaction holds a lock on its own virtual id.
  private static final String LOCKS =
      """
      SELECT known.mode, count(pid) AS locks, NULL::bigint AS locks_waiting
      FROM unnest(ARRAY['AccessShareLock', 'RowShareLock', 'RowExclusiveLock',
        'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
        'AccessExclusiveLock', 'SIReadLock']) AS known (mode)
      LEFT JOIN pg_locks ON pg_locks.mode = known.mode AND granted AND locktype <> 'virtualxid'
        AND pid <> pg_backend_pid()
      GROUP BY known.mode
      UNION ALL SELECT NULL, NULL, count(*) FROM pg_locks WHERE NOT granted
      """;

  // pg_receivewal replays nothing, and a standby that restores from an archive receives nothing:
  // how far they are behind is not known.
  private static final String REPLICATION =
      """
      SELECT concat_ws(' ', application_name, host(client_addr)) AS replica,
        max(greatest(0, bytes)) AS replication_lag_bytes
      FROM pg_stat_replication, LATERAL (SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery()
        THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, replay_lsn)) AS lag (bytes)
      WHERE state IN ('streaming', 'catchup') AND bytes IS NOT NULL GROUP BY 1
      """;

  private static final String SIZES =
      "SELECT pg_database_size(current_database()) AS database_bytes";

  static final List<Part> ALL =
      List.of(
          Part.of(
              "limits", LIMITS, gauge("connections_max", "Connections that the server accepts.")),
          Part.of(
                  "connections",
                  CONNECTIONS,
                  gauge("connections", "Sessions of clients by their state."))
              .ofSessions(),
          Part.of(
                  "waiting",
                  WAITING,
                  gauge(
                      "connections_waiting",
                      "Active sessions of clients that wait, by what they wait for."))
              .ofSessions(),
          Part.of(
                  "activity",
                  ACTIVITY,
                  gauge("longest_transaction_seconds", "Age of the oldest open transaction."),
                  gauge("autovacuum_workers", "Running autovacuum workers."))
              .ofSessions(),
          database(),
          wal(),
          checkpoints(),
          Part.of("io", IO_BEFORE_16, io())
              .from(V16, IO.formatted(BYTES_16.strip()))
              .from(V18, IO.formatted(BYTES_18.strip())),
          Part.of(
              "tables",
              TABLES,
              counter("table_scans", "kind", "Scans of a table, by their kind."),
              counter("table_scanned_rows", "Rows that sequential scans of a table read."),
              gauge("table_live_rows", "Rows of a table, as estimated."),
              gauge("table_dead_rows", "Old versions of rows that vacuum has not removed.")),
          Part.of(
              "statements",
              STATEMENTS,
              counter("statement_calls", "Calls of the statements that took the most time."),
              counter("statement_seconds", "Time of the statements that took the most.")),
          Part.of(
              "locks",
              LOCKS,
              gauge("locks", "Locks held, by mode."),
              gauge("locks_waiting", "Locks that sessions wait for.")),
          Part.of(
                  "replication",
                  REPLICATION,
                  gauge("replication_lag_bytes", "Bytes of WAL that a replica has not replayed."))
              .ofSessions(),
          Part.of("sizes", SIZES, gauge("database_bytes", "Size of the target's database on disk."))
              .rarely());

  private PostgresqlParts() {}

  private static Part database() {
    return Part.of(
        "database",
        DATABASE,
        counter("transactions", "result", "Transactions that ended, the monitor's own included."),
        counter("blocks_hit", "Blocks found in the server's buffers."),
        counter("blocks_read", "Blocks that were not in the server's buffers."),
        counter("rows", "operation", "Rows by operation."),
        counter("deadlocks", "Deadlocks detected."),
        counter("temporary_files", "Temporary files made by statements."),
        counter("temporary_bytes", "Bytes written to temporary files."));
  }

  private static Part wal() {
    return Part.since(
            V14,
            "wal",
            WAL.formatted(SYNCS_14),
            counter("wal_records", "WAL records generated."),
            counter("wal_bytes", "Bytes of WAL generated."),
            counter("wal_full_page_images", "Full page images in the WAL."),
            counter(
                "wal_buffers_full", "Times that WAL was written because its buffers were full."),
            counter("wal_syncs", "Times that WAL was flushed to the disk."),
            counter("wal_sync_seconds", "Time of these flushes, where track_wal_io_timing is on."))
        .from(V18, WAL.formatted(SYNCS_18));
  }

  /** Checkpoints by cause, and what they wrote. */
  static Part checkpoints() {
    return Part.of(
            "checkpoints",
            CHECKPOINTS,
            counter("checkpoints", "kind", "Checkpoints by cause."),
            counter("checkpoint_write_seconds", "Time that checkpoints wrote."),
            counter("checkpoint_sync_seconds", "Time that checkpoints waited for the disk."),
            counter("buffers_written", "by", "Buffers written, by the kind of process."))
        .from(V17, CHECKPOINTER.formatted(BUFFERS_17))
        .from(V18, CHECKPOINTER.formatted(BUFFERS_18));
  }

  private static Metric[] io() {
    return new Metric[] {
      counter("io_operations", "operation", "I/O operations."),
      counter("io_bytes", "operation", "Bytes of I/O operations."),
      counter("io_seconds", "operation", "Time of I/O operations, where track_io_timing is on.")
    };
  }
}
