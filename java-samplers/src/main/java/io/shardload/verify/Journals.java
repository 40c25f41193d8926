package io.shardload.verify;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.States;
import io.shardload.keys.UnreadableJournalException;
import io.shardload.remote.wire.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The journals of one run in its bundle. They are checked against the run and the data set before
 * they are used: with a missing or foreign journal, verification would blame the database for
 * documents that are not lost.
 */
final class Journals {
  /** For a generator on the controller's machine. */
  private static final double LOCAL_SECONDS = 2;

  /** For a generator on a load host that was cut off from its controller. */
  private static final double LEASE_SECONDS = LOCAL_SECONDS + 1 + Timing.LEASE.toSeconds();

  /** For a generator on a load host whose controller died. */
  private static final double ORPHAN_SECONDS =
      LOCAL_SECONDS + 1 + Timing.CONTROLLER_LOST.toSeconds();

  private static final double DEVIATIONS = 5;
  private static final double MOST_PER_SECOND_AND_WORKER = 10_000;

  private final Path bundle;
  private final BundleLayout layout;
  private final String runId;
  private final long highWater;

  /** The run's configuration, or null if the bundle has none. */
  private final JsonObject run;

  private Journals(Path bundle, String runId, long highWater) throws IOException {
    this.bundle = bundle;
    this.layout = new BundleLayout(bundle);
    this.runId = runId;
    this.highWater = highWater;
    this.run = run(layout);
  }

  private static JsonObject run(BundleLayout layout) throws IOException {
    if (!Files.exists(layout.run())) {
      return null;
    }
    try {
      return JsonParser.parseString(Files.readString(layout.run())).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      throw new UnverifiableException(layout.run() + " cannot be read");
    }
  }

  /**
   * The content of the journals.
   *
   * @param tolerable how many documents the lost ends of journals may explain; 0 if every journal
   *     is whole
   * @param absent generators that left neither a journal nor a ledger: they did not begin, or both
   *     files are lost
   * @param none all generators are absent
   * @param hosts the generators ran on load hosts, where their files may still be
   * @param used the highest ordinal in any journal, plus one
   */
  record Replayed(
      long tolerable, SortedSet<Integer> absent, boolean none, boolean hosts, long used) {
    static final Replayed NOTHING = new Replayed(0, new TreeSet<>(), true, false, 0);

    /** Why the database cannot be blamed for findings. */
    UnverifiableException unverifiable() {
      return new UnverifiableException(
          "generator %d left neither a journal nor a ledger, and the documents differ from the state before the run"
                  .formatted(absent.first())
              + (hosts ? "; run shardload collect to fetch the files of its load host" : ""));
    }
  }

  /**
   * Replays all journals into states by ordinal. Generators own disjoint ordinals, so their order
   * does not matter.
   *
   * @param runId that the data set waits for
   * @param highWater mark at which the run began
   * @throws UnverifiableException a journal is missing, or belongs to another run
   * @throws io.shardload.config.ConfigException a journal is damaged before its end
   */
  static Replayed replay(Path bundle, String runId, long highWater, States states)
      throws IOException {
    return new Journals(bundle, runId, highWater).replay(states);
  }

  /** Whether the bundle belongs to a run whose generators wrote journals. */
  static boolean any(Path bundle) throws IOException {
    return !new BundleLayout(bundle).generatorsWithJournal().isEmpty();
  }

  /** Whether the generators ran on load hosts, where a lease ends a generator that is cut off. */
  static boolean onLoadHosts(Path bundle) throws IOException {
    JsonObject run = run(new BundleLayout(bundle));
    return run != null && run.has("hosts");
  }

  /** Whether the controller injected faults, so that the journals have marks. */
  static boolean haveMarks(Path bundle) throws IOException {
    return !Json.array(run(new BundleLayout(bundle)), "faults").isEmpty();
  }

  private Replayed replay(States states) throws IOException {
    SortedSet<Integer> absent = new TreeSet<>();
    Map<Integer, JournalHeader> headers = headers(absent);
    Map<Integer, JournalHeader> cutOff = new TreeMap<>();
    long largestBlock = 0;
    AtomicLong used = new AtomicLong();
    for (int generator : headers.keySet()) {
      FileJournal.Replayed replayed =
          FileJournal.replay(
              layout.journal(generator),
              (ordinal, state) -> {
                states.grow(ordinal + 1);
                states.set(ordinal, state);
                used.accumulateAndGet(ordinal + 1, Math::max);
              });
      largestBlock = Math.max(largestBlock, replayed.largestBlock());
      // A generator writes its final ledger line after closing its journal.
      if (!replayed.whole() || BundleReader.generator(bundle, generator).end() == null) {
        cutOff.put(generator, headers.get(generator));
      }
    }
    if (hosts()) {
      // A generator that was cut off before its first report may have written documents.
      Optional<JournalHeader> busiest =
          headers.values().stream().max(Comparator.comparing(JournalHeader::writesPerSecond));
      busiest.ifPresent(like -> absent.forEach(generator -> cutOff.put(generator, like)));
    }
    double seconds = seconds();
    long tolerable = 0;
    for (JournalHeader header : cutOff.values()) {
      tolerable += tolerance(header, largestBlock, seconds);
    }
    return new Replayed(tolerable, absent, headers.isEmpty(), hosts(), used.get());
  }

  private boolean hosts() {
    return run != null && run.has("hosts");
  }

  /** How long a generator may have written without a trace in the bundle. */
  private double seconds() throws IOException {
    if (!hosts()) {
      return LOCAL_SECONDS;
    }
    // A controller that survived has closed the files that it merged. Files collected after the
    // controller's death show how the generators ended.
    GeneratorLog merged = BundleReader.merged(bundle);
    boolean lived =
        merged != null
            && merged.end() != null
            && !merged.end().stopReason().equals("controller-lost");
    return lived ? LEASE_SECONDS : ORPHAN_SECONDS;
  }

  private Map<Integer, JournalHeader> headers(SortedSet<Integer> absent) throws IOException {
    SortedSet<Integer> journals = layout.generatorsWithJournal();
    SortedSet<Integer> ledgers = layout.generatorsWithLedger();
    Map<Integer, JournalHeader> headers = new TreeMap<>();
    for (int generator : journals) {
      header(generator).ifPresent(header -> headers.put(generator, header));
    }
    int generators = generators(headers);
    for (int generator = 0; generator < generators; generator++) {
      if (headers.containsKey(generator)) {
        check(headers.get(generator), generator, generators);
      } else if (ledgers.contains(generator)) {
        throw new UnverifiableException(
            "the journal of generator %d is %s"
                .formatted(generator, journals.contains(generator) ? "empty" : "missing"));
      } else {
        absent.add(generator);
      }
    }
    if (!journals.isEmpty() && journals.last() >= generators) {
      throw new UnverifiableException(
          "generator %d has a journal, but the number of generators of the run is %d"
              .formatted(journals.last(), generators));
    }
    return headers;
  }

  private Optional<JournalHeader> header(int generator) {
    try {
      return JournalHeader.read(layout.journal(generator));
    } catch (UnreadableJournalException e) {
      throw new UnverifiableException(e.getMessage());
    }
  }

  /** From the run's configuration; from a journal if there is no configuration. */
  private int generators(Map<Integer, JournalHeader> headers) {
    if (run != null) {
      return (int) Json.integer(Json.object(run, "load"), "generators", 1);
    }
    return headers.values().stream().findFirst().map(JournalHeader::generators).orElse(1);
  }

  private void check(JournalHeader header, int generator, int generators) {
    String other = difference(header, generator, generators);
    if (!other.isEmpty()) {
      throw new UnverifiableException(layout.journal(generator) + " is the journal " + other);
    }
  }

  private String difference(JournalHeader header, int generator, int generators) {
    if (!header.runId().equals(runId)) {
      return "of run %s, not of %s".formatted(header.runId(), runId);
    }
    if (header.generator() != generator) {
      return "of generator " + header.generator();
    }
    if (header.generators() != generators) {
      return "of a run with %d generators, not with %d".formatted(header.generators(), generators);
    }
    return header.highWater() == highWater
        ? ""
        : "of a run that began at high-water mark %d, not at %d"
            .formatted(header.highWater(), highWater);
  }

  /**
   * How many documents the lost end of one journal may explain.
   *
   * <p>A generator flushes its journal once a second. So the lost end covers the second that was
   * being collected, and one more second if the flush was late: n = 2 s times the writes per
   * second. A generator on a load host continues after its last report that arrived until its lease
   * expires. If the controller died, the generator continues until it notices this. A statement
   * that is on its way then may take effect a little later. So n includes these seconds, too. The
   * writes per second are the maximum of the schedule, or the rate of the run's largest block if
   * that is higher, because after a recovery of the target the backlog is processed faster than
   * scheduled. Arrivals and the mix are random, so n deviates by at most its root, like a Poisson
   * number; five times the root is exceeded once in about three million cases. Each worker may have
   * one more write in progress:
   *
   * <pre>n + ceil(5 * sqrt(n)) + workers</pre>
   *
   * <p>In the closed model no schedule bounds the writes, so the largest block of the run does;
   * before the first block, 10 000 a second for each worker.
   *
   * @param header of the journal whose end is lost
   * @param largestBlock entries of the largest block in all journals of the run
   * @param seconds of writing that may be lost
   */
  private static long tolerance(JournalHeader header, long largestBlock, double seconds) {
    boolean unbounded = header.writesPerSecond() < 0 && largestBlock == 0;
    double n =
        seconds
            * (unbounded
                ? MOST_PER_SECOND_AND_WORKER * header.workers()
                : Math.max(header.writesPerSecond(), (double) largestBlock));
    if (n == 0) {
      return 0; // A mix without writes.
    }
    return (long) (Math.ceil(n) + Math.ceil(DEVIATIONS * Math.sqrt(n))) + header.workers();
  }
}
