package io.shardload.driver.jdbc.store;

import io.shardload.driver.jdbc.client.Refusals;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import java.util.List;

/**
 * The scratch schema or database, empty, for one process.
 *
 * @param inside connections by which tables are looked up and created in it alone
 */
public record ScratchPlace(
    SqlConnections inside, SqlConnections outside, ScratchSql sql, ScratchOwner owner)
    implements AutoCloseable {
  public static final String NAME = "shardload_scratch";

  /**
   * Makes the place. What was in it is dropped.
   *
   * @param outside connections that do not need it
   * @param tables that will be created in it: an earlier process may have left them
   * @throws io.shardload.config.ConfigException another process uses it, or it holds objects that
   *     shardload did not create
   */
  public static ScratchPlace make(
      SqlConnections outside, SqlConnections inside, ScratchSql sql, List<String> tables)
      throws CallFailure {
    // Before anything is dropped, which closing does as well.
    ScratchPlace place =
        new ScratchPlace(inside, outside, sql, ScratchOwner.claim(outside, sql, tables));
    try {
      place.create(sql.drop());
      place.create(ScratchSql.with(sql.create(), comment(outside.applicationName(), tables)));
      return place;
    } catch (CallFailure | RuntimeException e) {
      place.closeAfter(e);
      throw e;
    }
  }

  /** The comment that marks the place. */
  public static String comment(String applicationName, List<String> tables) {
    return ScratchOwner.comment(applicationName, tables);
  }

  /** Runs a statement outside of the place, without a time limit. */
  private void execute(String statement) throws CallFailure {
    outside.use(outside.unlimited(), one -> one.execute(statement));
  }

  /** As {@link #execute}, with a refusal that names the right: to drop needs it, too. */
  private void create(String statement) throws CallFailure {
    String what = sql.word() + " " + NAME + ", which parity and calibrate need";
    outside.use(
        outside.unlimited(),
        one -> {
          Refusals.create(one, statement, what, sql.right());
          return true;
        });
  }

  private void closeAfter(Exception failure) {
    try {
      close();
    } catch (CallFailure e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Drops the place and all that is in it; also in an interrupted thread, which some clients would
   * not let connect.
   */
  @Override
  public void close() throws CallFailure {
    boolean interrupted = Thread.interrupted();
    try {
      inside.close();
      execute(sql.drop());
    } finally {
      owner.close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
