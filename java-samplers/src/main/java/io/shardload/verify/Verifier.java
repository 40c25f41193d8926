package io.shardload.verify;

import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;

/** Verifies a run against its target and settles the data set. */
public final class Verifier {
  private final Target target;
  private final String workload;
  private final Model<?> model;

  public Verifier(Target target, String workload, Model<?> model) {
    this.target = target;
    this.workload = workload;
    this.model = model;
  }

  /**
   * The run that the data set waits for, or empty when it is clean.
   *
   * @throws ConfigException no data set is there, or another one
   */
  public String dirtyRun() throws CallFailure {
    return target.keepsData() ? header().dirtyRun() : "";
  }

  /**
   * Replays the run's journals, walks the table and, when nothing is wrong, settles the data set.
   * Writes {@code verification.json}.
   *
   * <p>A data set that is clean is compared with its settled states alone, unless the bundle holds
   * journals: then somebody else has settled the run, and it is too late to judge it.
   *
   * @param bundle of the run that made the data set dirty
   * @param applicationName of the connections of the run's generators
   * @param quietWithin how long generators of the run may still be connected to the server
   * @param progress told the number of rows read so far
   */
  public Verification verify(
      Path bundle, String applicationName, Duration quietWithin, LongConsumer progress)
      throws IOException {
    Verification result;
    try {
      result = compare(bundle, applicationName, quietWithin, progress);
    } catch (UnverifiableException e) {
      result = Verification.notRun(e.getMessage());
    } catch (CallFailure e) {
      result = Verification.notRun("the target failed: " + e.kind() + ": " + e.getMessage());
    }
    result.write(bundle);
    return result;
  }

  /**
   * Settles the data set of an interrupted run from its journals alone; unknown outcomes stay so,
   * for the next verification. A run whose journals miss their end cannot be settled without the
   * walk and stays dirty. Writes {@code verification.json}, with the verdict {@code not run}.
   */
  public Verification settleOnly(Path bundle) throws IOException {
    Verification result;
    try {
      result = Verification.notRun(settleFromJournals(bundle));
    } catch (UnverifiableException e) {
      result = Verification.notRun(e.getMessage());
    } catch (CallFailure e) {
      result = Verification.notRun("the target failed: " + e.kind() + ": " + e.getMessage());
    }
    result.write(bundle);
    return result;
  }

  private Verification compare(
      Path bundle, String applicationName, Duration quietWithin, LongConsumer progress)
      throws CallFailure, IOException {
    if (!target.keepsData()) {
      return Verification.notRun("target keeps no data");
    }
    long begin = System.nanoTime();
    if (!target.awaitDisconnected(applicationName, quietWithin)) {
      return Verification.notRun("generators of the run are still connected");
    }
    Header header = header();
    checkRun(header, bundle);
    if (header.clean() && Journals.any(bundle)) {
      return Verification.notRun(
          "another verification has settled this run meanwhile, so its journals cannot be compared");
    }
    States states = StateChunks.read(target.dataSets(), header);
    Journals.Replayed journals = replay(header, bundle, states);
    Expectation expectation =
        new Expectation(states, header.highWater(), journals.tolerable(), progress);
    model.walk(target, expectation);
    expectation.end();
    if (expectation.findings().total() == 0) {
      settle(header, states);
    } else if (!header.clean() && !journals.absent().isEmpty()) {
      throw journals.unverifiable();
    }
    return Verification.of(
        expectation, target.quiescenceCaveat(), (System.nanoTime() - begin) / 1e9);
  }

  /** Returns what came of it, for people. */
  private String settleFromJournals(Path bundle) throws CallFailure, IOException {
    if (!target.keepsData()) {
      return "target keeps no data";
    }
    Header header = header();
    checkRun(header, bundle);
    if (header.clean()) {
      return "the data set is settled already";
    }
    States states = StateChunks.read(target.dataSets(), header);
    Journals.Replayed journals = replay(header, bundle, states);
    if (journals.tolerable() > 0) {
      return "a journal misses its end, so the data set stays dirty until it is verified";
    }
    if (!journals.absent().isEmpty() && !journals.none()) {
      return "a journal is missing, so the data set stays dirty until it is verified";
    }
    settle(header, states);
    return "interrupted; the data set was settled from the journals";
  }

  private Journals.Replayed replay(Header header, Path bundle, States states)
      throws CallFailure, IOException {
    if (header.clean()) {
      return Journals.Replayed.NOTHING;
    }
    long highWater = StateChunks.highWater(target.dataSets(), header);
    return Journals.replay(bundle, header.dirtyRun(), highWater, states);
  }

  private void settle(Header header, States states) throws CallFailure {
    DataSetStore store = target.dataSets();
    Header next = header.settled(header.highWater());
    StateChunks.write(store, next.generation(), states, header.highWater());
    if (!store.replace(header, next)) {
      throw new CallFailure(
          "header-changed", true, false, "another process changed the header meanwhile");
    }
    store.keepOnly(next.generation());
  }

  private Header header() throws CallFailure {
    Header header =
        target
            .dataSets()
            .header()
            .orElseThrow(() -> new ConfigException("target", "holds no data set of ours"));
    DataSet.checkSame(header, workload, model);
    return header;
  }

  /** A bundle bears the name of its run; the journals of another run would settle nonsense. */
  private static void checkRun(Header header, Path bundle) {
    String name = bundle.toAbsolutePath().normalize().getFileName().toString();
    if (!header.clean() && !header.dirtyRun().equals(name)) {
      throw new ConfigException(
          "target", "the data set waits for run " + header.dirtyRun() + ", not for " + name);
    }
  }
}
