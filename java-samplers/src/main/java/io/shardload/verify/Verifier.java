package io.shardload.verify;

import io.shardload.bundle.VerificationMode;
import io.shardload.config.ConfigException;
import io.shardload.dataset.Belongings;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Verifies a run against its target and settles the data set. */
public record Verifier(Target target, String workload, Model<?> model) {
  private static final String NO_DATA = "target keeps no data";
  private static final String SETTLED = "the data set was settled from the journals";
  private static final String CONNECTED = "generators of the run are still connected";
  private static final Duration AFTER_CUT = Duration.ofSeconds(5);

  /**
   * The header of the data set; empty where the target keeps no data.
   *
   * @throws ConfigException there is no data set, or another data set
   */
  public Optional<Header> dataSet() throws CallFailure {
    if (!target.keepsData() || !model.keepsRecord()) {
      return Optional.empty();
    }
    Header header = recorded();
    Belongings.check(target.dataSets(), header, model);
    return Optional.of(header);
  }

  /**
   * Replays the run's journals, reads the documents and settles the data set if there is no
   * finding. Writes {@code verification.json}.
   *
   * <p>A clean data set is compared with its settled states alone, unless the bundle holds
   * journals: then another verification settled the run, or its mark is lost and is restored.
   *
   * @param bundle of the run that made the data set dirty
   * @param mode which documents are to be read; not {@code NONE}
   * @param applicationName of the connections of the run's generators
   * @param quietWithin how long generators of the run may still be connected to the server
   * @param progress receives the number of rows read so far and the number of expected rows
   */
  public Verification verify(
      Path bundle,
      VerificationMode mode,
      String applicationName,
      Duration quietWithin,
      Progress progress)
      throws IOException {
    return written(
        bundle,
        () ->
            model.followsDocuments()
                ? compare(bundle, mode, applicationName, quietWithin, progress)
                : check(bundle, applicationName, quietWithin));
  }

  /**
   * Settles the data set of a run from its journals alone; unknown outcomes stay unknown. If the
   * end of a journal is missing, the documents must be read, so the data set stays dirty. Writes
   * {@code verification.json}, with the verdict {@code not run} and the reason {@code why}.
   */
  public Verification settleOnly(Path bundle, String why) throws IOException {
    return written(
        bundle,
        () -> {
          if (!model.followsDocuments()) {
            return Verification.notRun(why + "; " + settleFromLedgers(bundle));
          }
          String unsettled = settleFromJournals(bundle, true);
          return Verification.notRun(unsettled.isEmpty() ? why + "; " + SETTLED : unsettled);
        });
  }

  /**
   * Settles the data set from the run's journals alone, because the profile asks for no
   * verification. The data set stays dirty if outcomes are unknown, or if the end of a journal is
   * missing. Writes {@code verification.json}, with the verdict {@code skipped}.
   */
  public Verification skip(Path bundle) throws IOException {
    return written(
        bundle,
        () -> {
          if (!model.followsDocuments()) {
            return Verification.skipped("the profile asks for none; " + settleFromLedgers(bundle));
          }
          String unsettled = settleFromJournals(bundle, false);
          return Verification.skipped(
              "the profile asks for none; " + (unsettled.isEmpty() ? SETTLED : unsettled));
        });
  }

  private Verification check(Path bundle, String applicationName, Duration quietWithin)
      throws CallFailure, IOException {
    if (!target.keepsData()) {
      return Verification.notRun(NO_DATA);
    }
    long begin = System.nanoTime();
    if (!quiet(bundle, applicationName, quietWithin)) {
      return Verification.notRun(CONNECTED);
    }
    CheckedRun.Result result = checkedRun(bundle).verify();
    return Verification.of(result, target.quiescenceCaveat(), (System.nanoTime() - begin) / 1e9);
  }

  private String settleFromLedgers(Path bundle) throws CallFailure, IOException {
    return target.keepsData() ? checkedRun(bundle).settleOnly() : NO_DATA;
  }

  private CheckedRun checkedRun(Path bundle) throws CallFailure, IOException {
    Header header = null;
    if (model.keepsRecord()) {
      header = new HeaderRepair(target.dataSets()).markedByLedger(header(), bundle);
      checkRun(header, bundle);
    }
    return new CheckedRun(target, model, header, bundle);
  }

  private interface Step {
    Verification take() throws CallFailure, IOException;
  }

  private Verification written(Path bundle, Step step) throws IOException {
    Verification result;
    try {
      result = step.take();
      BegunRun.noteSettled(bundle, dataSet());
    } catch (UnverifiableException e) {
      result = Verification.notRun(e.getMessage());
    } catch (CallFailure e) {
      result = Verification.notRun("the target failed: " + e.kind() + ": " + e.getMessage());
    }
    result.write(bundle);
    return result;
  }

  private Verification compare(
      Path bundle,
      VerificationMode asked,
      String applicationName,
      Duration quietWithin,
      Progress progress)
      throws CallFailure, IOException {
    if (!target.keepsData()) {
      return Verification.notRun(NO_DATA);
    }
    long begin = System.nanoTime();
    if (!quiet(bundle, applicationName, quietWithin)) {
      return Verification.notRun(CONNECTED);
    }
    HeaderRepair repair = new HeaderRepair(target.dataSets());
    Header header = repair.marked(header(), bundle);
    checkRun(header, bundle);
    if (!header.ofRun() && Journals.any(bundle)) {
      return Verification.notRun(
          "another verification has already settled this run, so its journals cannot"
              + " be compared");
    }
    States states = StateChunks.read(target.dataSets(), header);
    Journals.Replayed journals = replay(header, bundle, states);
    header = repair.raised(header, journals.used());
    Scope scope = Scope.of(asked, target.dataSets(), header, states, journals);
    boolean haveMarks = Journals.haveMarks(bundle);
    LostWrites lostWrites = new LostWrites(haveMarks ? LostWrites.MOST_DOCUMENTS : 0);
    Expectation expectation =
        new Expectation(
            states,
            header.highWater(),
            scope.only(),
            journals.tolerable(),
            model.dependents(),
            lostWrites,
            progress);
    ReadingThreads.read(target, model, scope.only(), expectation);
    expectation.end();
    CheckedRun run = new CheckedRun(target, model, header, bundle);
    CheckedRun.Result checked = CheckedRun.hasChecks(model) ? run.ask() : CheckedRun.Result.NONE;
    boolean isClean = expectation.findings().total() == 0;
    if (isClean && !checked.notRun().isEmpty()) {
      return Verification.notRun(checked.notRun());
    }
    if (isClean && checked.wrong() == 0) {
      if (CheckedRun.hasChecks(model)) {
        run.writeEffects();
      }
      StateChunks.settle(target.dataSets(), header, states);
    } else if (!isClean && header.ofRun() && !journals.absent().isEmpty()) {
      throw journals.unverifiable();
    } else {
      DataSet.markWrong(target.dataSets(), header);
    }
    return Verification.of(
        expectation,
        model,
        checked,
        haveMarks ? lostWrites.read(bundle) : null,
        scope,
        repair.words(target.quiescenceCaveat()),
        scope.mode() == VerificationMode.ALL ? OptionalLong.empty() : estimate(),
        (System.nanoTime() - begin) / 1e9);
  }

  /**
   * Waits until no generator is connected. A server does not notice that a load host was cut off:
   * its connections stay open. By then its lease has expired, so it sends nothing more. Earlier
   * statements could still arrive, until the server ends the idle connections.
   */
  private boolean quiet(Path bundle, String applicationName, Duration within)
      throws CallFailure, IOException {
    if (target.awaitDisconnected(applicationName, within)) {
      return true;
    }
    if (!Journals.onLoadHosts(bundle)) {
      return false;
    }
    target.endIdleConnections(applicationName);
    return target.awaitDisconnected(applicationName, AFTER_CUT);
  }

  /** The verdict does not use the value, so a server that does not answer causes no failure. */
  private OptionalLong estimate() {
    try {
      return model.estimate(target);
    } catch (CallFailure e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns why the data set is not settled, or nothing.
   *
   * @param withUnknown settle the data set even if outcomes are unknown; they stay unknown
   */
  private String settleFromJournals(Path bundle, boolean withUnknown)
      throws CallFailure, IOException {
    if (!target.keepsData()) {
      return NO_DATA;
    }
    HeaderRepair repair = new HeaderRepair(target.dataSets());
    Header header = repair.marked(header(), bundle);
    checkRun(header, bundle);
    if (!header.ofRun()) {
      return "the data set is already settled";
    }
    States states = StateChunks.read(target.dataSets(), header);
    Journals.Replayed journals = replay(header, bundle, states);
    header = repair.raised(header, journals.used());
    if (!repair.words("").isEmpty()) {
      return repair.words("") + ", so the data set stays dirty until it is verified";
    }
    if (journals.tolerable() > 0) {
      return "the end of a journal is missing, so the data set stays dirty until it is verified";
    }
    if (!journals.absent().isEmpty() && !journals.none()) {
      return "a journal is missing, so the data set stays dirty until it is verified";
    }
    long unknown = withUnknown ? 0 : Scope.unknown(states, header.highWater());
    if (unknown > 0) {
      return "%d unknown outcome%s, so the data set stays dirty until it is verified"
          .formatted(unknown, unknown == 1 ? "" : "s");
    }
    if (CheckedRun.hasChecks(model)) {
      String missing = new CheckedRun(target, model, header, bundle).writeEffects();
      if (!missing.isEmpty()) {
        return missing + ", so the data set stays dirty";
      }
    }
    StateChunks.settle(target.dataSets(), header, states);
    return "";
  }

  private Journals.Replayed replay(Header header, Path bundle, States states)
      throws CallFailure, IOException {
    if (!header.ofRun()) {
      return Journals.Replayed.NOTHING;
    }
    long highWater = StateChunks.highWater(target.dataSets(), header);
    return Journals.replay(bundle, header.dirtyRun(), highWater, states);
  }

  /** The header for a comparison: tables that were swapped during the run prove nothing. */
  private Header header() throws CallFailure {
    Header header = recorded();
    try {
      Belongings.check(target.dataSets(), header, model);
    } catch (ConfigException e) {
      throw new UnverifiableException(e.getMessage());
    }
    return header;
  }

  private Header recorded() throws CallFailure {
    Header header =
        target
            .dataSets()
            .header()
            .orElseThrow(() -> new ConfigException("target", "holds no data set of shardload"));
    DataSet.checkSame(header, workload, model);
    return header;
  }

  /** A bundle has the name of its run. The journals of another run would settle wrong states. */
  private static void checkRun(Header header, Path bundle) {
    String name = bundle.toAbsolutePath().normalize().getFileName().toString();
    if (header.ofRun() && !header.dirtyRun().equals(name)) {
      throw new ConfigException(
          "target", "needs verification of run " + header.dirtyRun() + ", not of " + name);
    }
  }

  /**
   * Restores parts of the data set's header that the database has lost, for example in a failover
   * to a standby that lagged behind. The values come from the run's bundle. Without the repair the
   * next run would use ordinals again.
   */
  private static final class HeaderRepair {
    private final DataSetStore store;
    private final List<String> lost = new ArrayList<>();

    HeaderRepair(DataSetStore store) {
      this.store = store;
    }

    /**
     * Marks the data set again for the run of a bundle if the header is from before that run. Every
     * settlement ends a generation, so a settled run is never mistaken for a lost run.
     */
    Header marked(Header header, Path bundle) throws CallFailure, IOException {
      boolean setBack =
          Journals.any(bundle)
              && BegunRun.read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
      return setBack ? mark(header, bundle) : header;
    }

    private Header mark(Header header, Path bundle) throws CallFailure {
      String run = bundle.toAbsolutePath().normalize().getFileName().toString();
      lost.add("the database had lost the mark of run %s on the data set".formatted(run));
      return replaced(header, header.dirtiedBy(run));
    }

    /** The same for a run that keeps no journal. */
    Header markedByLedger(Header header, Path bundle) throws CallFailure, IOException {
      boolean setBack = BegunRun.read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
      return setBack ? mark(header, bundle) : header;
    }

    /** Raises the mark above every ordinal that the run's journals name. */
    Header raised(Header header, long used) throws CallFailure {
      if (used <= header.highWater()) {
        return header;
      }
      lost.add(
          "the database had lost the latest high-water mark: it held %d, but ordinals up to %d were used"
              .formatted(header.highWater(), used - 1));
      return replaced(header, header.withHighWater(used));
    }

    private Header replaced(Header header, Header next) throws CallFailure {
      if (!store.replace(header, next)) {
        throw new CallFailure(
            "header-changed", true, false, "another process changed the header at the same time");
      }
      return next;
    }

    /** What was lost and restored, followed by the server's caveat; or empty. */
    String words(String caveat) {
      List<String> all = new ArrayList<>(lost);
      if (!caveat.isEmpty()) {
        all.add(caveat);
      }
      return String.join("; ", all);
    }
  }

  /**
   * Which documents are read.
   *
   * @param only their ordinals, or null for all
   * @param words what the scope leaves out, or why it differs from the requested scope; or empty
   */
  record Scope(OrdinalSet only, String words) {
    private static final String INSTEAD =
        "all documents were read, not only documents that the run wrote: ";

    /**
     * The scope of a mode. All documents, if the documents that the run wrote are not known.
     *
     * @param states with the run's journals replayed
     * @param journals the replayed journals
     */
    static Scope of(
        VerificationMode asked,
        DataSetStore store,
        Header header,
        States states,
        Journals.Replayed journals)
        throws CallFailure {
      if (asked == VerificationMode.ALL) {
        return new Scope(null, "");
      }
      if (!header.ofRun()) {
        return new Scope(null, INSTEAD + "no run needs verification");
      }
      if (!journals.absent().isEmpty()) {
        return new Scope(
            null,
            INSTEAD + "a generator left no journal, so the written documents are not fully known");
      }
      if (journals.tolerable() > 0) {
        return new Scope(
            null,
            INSTEAD
                + "the end of a journal is missing, so the written documents are not fully known");
      }
      return new Scope(
          written(store, header, states),
          "only documents that the run wrote were read: losses of other documents"
              + " were not checked");
    }

    /**
     * Documents that the run wrote or may have written, and documents that an earlier run left
     * unknown.
     */
    private static OrdinalSet written(DataSetStore store, Header header, States states)
        throws CallFailure {
      OrdinalSet written = new OrdinalSet(header.highWater());
      StateChunks.changed(store, header, states, header.highWater(), written::add);
      unknownOrdinals(states, header.highWater()).forEach(written::add);
      return written;
    }

    /** How many outcomes are unknown. */
    static long unknown(States states, long highWater) {
      return unknownOrdinals(states, highWater).count();
    }

    private static LongStream unknownOrdinals(States states, long highWater) {
      return LongStream.range(0, highWater)
          .filter(
              ordinal ->
                  switch (State.status(states.get(ordinal))) {
                    case State.UNKNOWN_INSERT, State.UNKNOWN_UPDATE, State.UNKNOWN_DELETE -> true;
                    default -> false;
                  });
    }

    VerificationMode mode() {
      return only == null ? VerificationMode.ALL : VerificationMode.WRITTEN;
    }
  }
}
