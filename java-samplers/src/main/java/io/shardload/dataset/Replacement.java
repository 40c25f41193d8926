package io.shardload.dataset;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Whether the data on the target is dropped and created again, and which loss the user has agreed
 * to. Without an agreement, only a settled data set of shardload is dropped.
 *
 * @param asked whether anything is dropped at all
 * @param unsettledRuns runs whose writes may be lost unverified
 * @param foreign whether tables that shardload did not create may be dropped
 */
public record Replacement(boolean asked, Set<String> unsettledRuns, boolean foreign) {
  /** Nothing is dropped. */
  public static final Replacement NONE = new Replacement(false, Set.of(), false);

  /** Drops a settled data set of shardload. */
  public static final Replacement SETTLED = new Replacement(true, Set.of(), false);

  private static final String REPLACE_FOREIGN = "--replace-foreign";
  private static final String[] NO_MORE = {};

  /** Connections that were just closed disappear from the server's list a moment later. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  public Replacement {
    unsettledRuns = Set.copyOf(unsettledRuns);
  }

  /**
   * Refuses to drop data that a run is using, data that no verification has settled, and data that
   * shardload did not create. Changes nothing.
   *
   * @throws ConfigException with the flag that overrides the refusal, if there is one
   */
  public void check(Target target, Model<?> model) throws CallFailure {
    check(target, model, Clock.SYSTEM);
  }

  void check(Target target, Model<?> model, Clock clock) throws CallFailure {
    if (asked && !model.keepsRecord()) {
      throw new ConfigException(
          "workload.data",
          "is existing: shardload never drops existing data, so it cannot recreate it");
    }
    if (!asked || !target.keepsData()) {
      return;
    }
    Optional<Header> header = target.dataSets().header();
    String dirtyRun = header.map(Header::dirtyRun).orElse("");
    refuseWhileUsed(target, dirtyRun, clock);
    Optional<String> other =
        foreign ? Optional.empty() : Belongings.foreign(target.dataSets(), header, model);
    if (!dirtyRun.isEmpty() && !unsettledRuns.contains(dirtyRun)) {
      String also = other.map("; "::concat).orElse("");
      // Each refusal names all that the command needs: otherwise the next one would be refused,
      // too.
      String[] consents = foreign || other.isPresent() ? new String[] {REPLACE_FOREIGN} : NO_MORE;
      throw dirtyRun.equals(Header.WRONG_DATA)
          ? wrongData(also, consents)
          : unsettled(
              "run %s wrote to the data set, and no verification has settled it%s"
                  .formatted(dirtyRun, also),
              dirtyRun,
              consents);
    }
    if (other.isPresent()) {
      throw new ConfigException("target", other.get() + "; use another database")
          .advise(header.map(Belongings::replaceForeign).orElse(Advice.replaceForeign()));
    }
  }

  private static void refuseWhileUsed(Target target, String dirtyRun, Clock clock)
      throws CallFailure {
    long deadline = clock.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Optional<String> other = target.otherRun(dirtyRun);
      if (other.isEmpty()) {
        return;
      }
      if (clock.nanoTime() >= deadline) {
        throw new ConfigException(
            "target",
            "run %s is connected to the database right now, so nothing is dropped; wait until it ends"
                .formatted(other.get()));
      }
      try {
        clock.sleepUntil(clock.nanoTime() + LOOK_EVERY.toNanos());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CallFailure("interrupted", true, false, "interrupted while looking for runs");
      }
    }
  }

  /** A refusal because the last verification of a settled data set found wrong data. */
  static ConfigException wrongData() {
    return wrongData("");
  }

  private static ConfigException wrongData(String also, String... consents) {
    return new ConfigException("target", "a verification found wrong data in the data set" + also)
        .advise(Advice.verify("to compare all documents again"))
        .advise(
            Advice.recreate(
                "to drop all documents and load again", with(Header.WRONG_DATA, consents)));
  }

  private static String[] with(String run, String... consents) {
    return Stream.concat(Stream.of("--discard-unsettled", run), Stream.of(consents))
        .toArray(String[]::new);
  }

  /**
   * A refusal because a run must be settled first.
   *
   * @param consents what dropping the data set requires in addition
   */
  public static ConfigException unsettled(String message, String run, String... consents) {
    return new ConfigException("target", message)
        .advise(Advice.verify("to settle it from that run's journal"))
        .advise(
            Advice.recreate(
                "to drop all documents and discard what that run wrote", with(run, consents)));
  }
}
