package io.shardload.results;

import io.shardload.bundle.Counts;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.config.Durations;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.results.Bottleneck.Resource;
import io.shardload.results.ServerSessions.Means;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Decides what bounds the load in one segment. The order of the questions is the rule: the
 * generator, connections, what the servers' machines have no more of, whether there was more to do
 * at all, what lies between generator and server, and what the sessions wait for inside. What was
 * not measured is not known, and never assumed. Only what was outside of faults counts.
 */
final class Attribution {
  /** Above this share of their time in calls, workers leave no arrival without a wait. */
  private static final double BUSY_PERCENT = 90;

  /** Above this share a machine's processors or disk have no more. */
  private static final double FULL = 0.9;

  /** A part of the calls in flight that is more than this is most of them. */
  private static final double MOST = 0.5;

  /** With fewer sessions than this share of the calls in flight, calls wait for a session. */
  private static final double FEW_SESSIONS = 0.75;

  /** Of the calls in flight: sessions that wait for the network. */
  private static final double SENDING = 0.25;

  /** An exchange takes this many times as long as at rest where packets queue. */
  private static final double CONGESTED = 4;

  /**
   * So many sessions are ready to run for each processor in use, where processors lack. One that
   * has not read its next call yet still looks idle, so they need not be most of the calls in
   * flight.
   */
  private static final double READY_PER_PROCESSOR = 1.5;

  /** One server does so much more than the mean of the others that it is hot. */
  private static final double HOT = 2;

  /** What sessions can do inside a server. */
  private static final List<Doing> INSIDE =
      List.of(Doing.PROCESSOR, Doing.LOCK, Doing.FLUSH, Doing.DISK, Doing.SEND, Doing.INNER);

  private final Evaluation run;
  private final Segment segment;
  private final Counts counts;
  private final Step.Workers crew;
  private final TimeShares time;
  private final HostMetrics machines;
  private final HostMeans means;
  private final List<Means> entries;
  private final List<Means> workers;
  private final List<String> unknown = new ArrayList<>();

  Attribution(Evaluation whole, Step step) {
    run = whole.outside();
    segment = step.segment();
    counts = run.ledgers().ofSegments(Set.of(segment.name()));
    Function<String, Histogram> histograms = run.distributions().ofSegment(segment.name());
    time = TimeShares.of(histograms);
    List<Segment> parts = run.faults().outside(List.of(segment));
    crew =
        run.faults().isEmpty()
            ? step.workers()
            : step.workers().during(histograms, Segments.seconds(parts));
    machines = run.bundle().hosts();
    means = machines == null ? null : new HostMeans(machines, parts);
    entries = run.sessions().entries(segment);
    workers = run.sessions().workers(segment);
  }

  Bottleneck decide() {
    if (entries.isEmpty()) {
      unknown.add("what sessions wait for in the servers: " + run.sessions().unknown());
    }
    if (servers().isEmpty() || Double.isNaN(highest(Figure.CPU))) {
      unknown.add("processors and disks of the servers");
    }
    if (time == null) {
      return found(null, "no call ended", "");
    }
    double busy = crew.busyPercent();
    // Where a server stands still again and again, workers are free in between.
    boolean waits = time.worker() > MOST * time.service();
    boolean pressed =
        !run.bundle().open() || !Step.reached(counts) || busy >= BUSY_PERCENT || waits;
    if (!isVictim() && (isInvalid() || (pressed && hiccup() > MOST * time.service()))) {
      return found(
          Resource.GENERATOR,
          text(
              "its threads woke %s late in the mean, and a mean call took %s",
              show(hiccup()), show(time.service())),
          "its own delays within the limits of a valid run, and under half of a mean call");
    }
    Bottleneck pool = pressed ? pool() : null;
    if (pool != null || isFull()) {
      return pool != null ? pool : full();
    }
    if (Double.isNaN(busy)) {
      return found(null, "how busy the workers were is not known", "");
    }
    if (!pressed) {
      return found(
          Resource.NOTHING,
          text("the rate was reached and workers were in calls for %.0f %% of the time", busy),
          text("workers busy for over %.0f %%, or a rate that is not reached", BUSY_PERCENT));
    }
    if (busy < BUSY_PERCENT && !waits) {
      String errors = "the rate was not reached although workers were free (%.0f %% in calls)";
      return found(null, text(errors, busy), "");
    }
    if (areReady()) {
      return ready();
    }
    Doing most = most();
    return most == null ? between(calls()) : within(most, calls());
  }

  /** A server that fills the machine of both delays the generator, which then is not the cause. */
  private boolean isVictim() {
    return run.bundle().sharesMachine()
        && isShortOfProcessors()
        && generatorPercent() / 100 < highest(Figure.CPU) / 2;
  }

  private boolean isInvalid() {
    return GeneratorBound.segments(run).contains(segment.name());
  }

  /** How late a thread of a generator woke that only slept, in the mean; 0 if not known. */
  private double hiccup() {
    Histogram hiccups = run.distributions().ofSegment(segment.name()).apply(Distributions.HICCUP);
    return hiccups == null ? 0 : hiccups.getMean();
  }

  /** Calls wait for a connection, or for a session behind it; null if they do not. */
  private Bottleneck pool() {
    if (time.connect() > MOST * time.service()) {
      return found(
          Resource.POOL,
          text(
              "a mean call waits %s of its %s for a connection",
              show(time.connect()), show(time.service())),
          "less than half of the service time");
    }
    double sessions = entries.stream().mapToDouble(Means::all).sum();
    boolean few = !entries.isEmpty() && sessions < FEW_SESSIONS * calls();
    return few
        ? found(
            Resource.POOL,
            text("%.1f calls in flight have %.1f sessions in the servers", calls(), sessions),
            "as many sessions as calls in flight")
        : null;
  }

  /** Whether a server's machine has no more processors or disk. */
  private boolean isFull() {
    Doing most = most();
    return isShortOfProcessors()
        || (highest(Figure.DISK_BUSY) >= FULL && (most == null || isDisk(most)));
  }

  /** Others may fill the machine, too: sessions that have little to do, or wait, do not. */
  private boolean isShortOfProcessors() {
    Doing commonest = commonest();
    return highest(Figure.CPU) >= FULL
        && (entries.isEmpty()
            || (inside() >= 1 && (commonest == Doing.PROCESSOR || commonest == Doing.INNER)));
  }

  private Bottleneck full() {
    return isShortOfProcessors()
        ? processors(
            text(
                "the processors of %s were %.0f %% in use%s",
                busiest(Figure.CPU).name(), 100 * highest(Figure.CPU), shared()),
            text("under %.0f %%", 100 * FULL))
        : disk(
            text(
                "the busiest disk of %s was %.0f %% busy",
                busiest(Figure.DISK_BUSY).name(), 100 * highest(Figure.DISK_BUSY)));
  }

  /** Most of the time passes outside of the servers, as far as it is known. */
  private Bottleneck between(double calls) {
    if (entries.isEmpty()) {
      return found(
          null,
          "the servers' machines have capacity left, as far as it is known, and what the sessions"
              + " wait for is not",
          "");
    }
    double sending = entries.stream().mapToDouble(each -> each.of(Doing.SEND)).sum();
    if (sending >= SENDING * calls) {
      return found(
          Resource.NETWORK, waiting(Doing.SEND, "the network to take their rows"), halfOf(calls));
    }
    double rest = run.sessions().roundTripAtRestSeconds();
    double now = entries.stream().mapToDouble(Means::roundTripSeconds).max().orElse(Double.NaN);
    boolean controllerIsThere = run.bundle().loadHosts().isEmpty();
    // Neither the servers nor the way to them explain the calls: the generator itself is slow.
    if (controllerIsThere && hiccup() > now * 1e9 && time.service() >= CONGESTED * now * 1e9) {
      return found(
          Resource.GENERATOR,
          text(
              "its threads woke %s late in the mean, and of a mean call of %s an exchange took %s",
              show(hiccup()), show(time.service()), show(now * 1e9)),
          "its own delays shorter than an exchange");
    }
    if (controllerIsThere && now >= CONGESTED * rest && now >= time.service() / 1e9 / CONGESTED) {
      return found(
          Resource.NETWORK,
          text("an exchange took %s, and %s at rest", show(now * 1e9), show(rest * 1e9)),
          text("an exchange under %.0f times as long as at rest", CONGESTED));
    }
    if (highest(Figure.CPU) >= FULL) {
      // Behind a router a server may hide what it does for others.
      String use = "the processors of %s were %.0f %% in use, and no session is seen to use them";
      return found(null, text(use, busiest(Figure.CPU).name(), 100 * highest(Figure.CPU)), "");
    }
    return found(
        Resource.WORKERS,
        text(
            "all %d were in calls, %.1f of them in the servers at a time and the others outside, as on"
                + " the way there and back; more workers (--concurrency) would carry more",
            crew.number(), inside()),
        "most of the calls in flight inside the servers");
  }

  /** Most of the calls in flight are inside the servers. */
  private Bottleneck within(Doing most, double calls) {
    Means hot = hot();
    if (hot != null) {
      return found(
          Resource.SHARD,
          text("%s has %.1f of %.1f busy sessions", hot.server(), hot.inside(), inside()),
          text("under %.0f times the mean of the others", HOT));
    }
    if (scanning() != null && most != Doing.FLUSH && most != Doing.LOCK) {
      return plan(waiting(most, "it"));
    }
    return switch (most) {
      case LOCK -> found(Resource.LOCKS, waiting(most, "a lock"), halfOf(calls));
      case FLUSH, DISK ->
          disk(waiting(most, most == Doing.FLUSH ? "the log of changes" : "data files"));
      case SEND ->
          found(Resource.NETWORK, waiting(most, "the network to take their rows"), halfOf(calls));
      case PROCESSOR -> running();
      default -> found(Resource.SERVER, waiting(most, insideOf(most)), halfOf(calls));
    };
  }

  /**
   * Whether processors lack that the machines have. Of a server that is hardly used a few reads see
   * a session that runs, which is no more than one in the mean.
   */
  private boolean areReady() {
    double ready = sum(Doing.PROCESSOR);
    return commonest() == Doing.PROCESSOR
        && ready >= 1
        && ready > READY_PER_PROCESSOR * processorsInUse();
  }

  private Bottleneck ready() {
    return processors(
        text(
            "%.1f sessions were ready to run, and %.1f processors in use",
            sum(Doing.PROCESSOR), processorsInUse()),
        text("under %.1f sessions for each processor in use", READY_PER_PROCESSOR));
  }

  /** Sessions run, and the machines have more processors. */
  private Bottleneck running() {
    double running = sum(Doing.PROCESSOR);
    return Double.isNaN(processorsInUse())
        ? found(null, text("%.1f sessions run, on unknown processors", running), "")
        : found(
            Resource.WORKERS,
            text(
                "%.1f of %d calls kept a processor busy, and the machines had processors left",
                running, crew.number()),
            text("processors over %.0f %% in use", 100 * FULL));
  }

  private Bottleneck processors(String why, String unless) {
    return scanning() == null ? hotMachine(Resource.PROCESSOR, why, unless) : plan(why);
  }

  private Bottleneck disk(String why) {
    long checkpoints = entries.stream().mapToLong(Means::checkpoints).sum();
    String more = checkpoints > 1 ? "; " + checkpoints + " checkpoints ended meanwhile" : "";
    return scanning() != null && most() != Doing.FLUSH
        ? plan(why)
        : hotMachine(Resource.DISK, why + more, text("under %.0f %% busy", 100 * FULL));
  }

  private Bottleneck plan(String why) {
    return found(
        Resource.PLAN,
        "%s has no index that narrows its search, and %s".formatted(scanning(), why),
        "an index for it");
  }

  /** One of several machines has no more, and the others do. */
  private Bottleneck hotMachine(Resource resource, String why, String unless) {
    Figure figure = resource == Resource.DISK ? Figure.DISK_BUSY : Figure.CPU;
    List<HostSeries> servers = servers();
    double highest = highest(figure);
    double others =
        servers.stream()
            .filter(host -> !host.equals(busiest(figure)))
            .mapToDouble(host -> means.mean(host, figure))
            .average()
            .orElse(highest);
    return highest >= FULL && HOT * others <= highest
        ? found(
            Resource.SHARD,
            text("%s, and the other machines %.0f %%", why, 100 * others),
            "over half as much use of the other machines")
        : found(resource, why, unless);
  }

  /** The transaction that takes most of the time and reads too much; null if there is none. */
  private String scanning() {
    Set<String> scans = ServerEvidence.scanning(run.bundle().evidence());
    double all = nanos(run.ledgers().transactions());
    return scans.stream()
        .filter(name -> nanos(Set.of(name)) > 0)
        .max(Comparator.comparingDouble(name -> nanos(Set.of(name))))
        .filter(name -> nanos(scans) > MOST * all)
        .orElse(null);
  }

  private double nanos(Set<String> transactions) {
    return transactions.stream()
        .mapToDouble(
            name -> {
              Percentiles service = run.ofTransaction(name, "service");
              return service.count() == 0 ? 0 : service.mean().nanos() * service.count();
            })
        .sum();
  }

  // What was measured.

  private double generatorPercent() {
    return run.cpu().highest(List.of(segment));
  }

  /** Mean number of calls in flight. */
  private double calls() {
    return crew.number() * crew.busyPercent() / 100;
  }

  private double inside() {
    return entries.stream().mapToDouble(Means::inside).sum();
  }

  /** What most of the sessions do that are inside; null if that is not known. */
  private Doing most() {
    return entries.isEmpty() || !(inside() >= MOST * calls()) ? null : commonest();
  }

  private Doing commonest() {
    return INSIDE.stream().max(Comparator.comparingDouble(this::sum)).orElseThrow();
  }

  private static boolean isDisk(Doing doing) {
    return doing == Doing.DISK || doing == Doing.FLUSH;
  }

  /** At the servers behind the others, where sessions wait for these. */
  private double sum(Doing doing) {
    double behind = workers.stream().mapToDouble(each -> each.of(doing)).sum();
    return behind + entries.stream().mapToDouble(each -> each.of(doing)).sum();
  }

  private Means hot() {
    Means most = workers.stream().max(Comparator.comparingDouble(Means::inside)).orElse(null);
    double others =
        workers.stream()
            .filter(each -> !each.equals(most))
            .mapToDouble(Means::inside)
            .average()
            .orElse(Double.NaN);
    return most != null && most.inside() >= 1 && most.inside() > HOT * others ? most : null;
  }

  private List<HostSeries> servers() {
    return machines == null ? List.of() : machines.servers();
  }

  private HostSeries busiest(Figure figure) {
    return servers().stream()
        .filter(host -> !Double.isNaN(means.mean(host, figure)))
        .max(Comparator.comparingDouble(host -> means.mean(host, figure)))
        .orElse(null);
  }

  /** Of the busiest server's machine; NaN if it is not known, which is over no limit. */
  private double highest(Figure figure) {
    HostSeries busiest = busiest(figure);
    return busiest == null ? Double.NaN : means.mean(busiest, figure);
  }

  private double processorsInUse() {
    return servers().stream()
        .mapToDouble(
            host -> host.cores() > 0 ? host.cores() * means.mean(host, Figure.CPU) : Double.NaN)
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }

  // Words.

  private String waiting(Doing doing, String what) {
    String event = run.sessions().event(segment, doing);
    return text("%.1f of %.1f calls in flight wait for %s", sum(doing), calls(), what)
        + (event.isEmpty() ? "" : " (" + event + ")");
  }

  /** PostgreSQL's word for commits that wait for a synchronous standby is known to few. */
  private String insideOf(Doing doing) {
    return run.sessions().event(segment, doing).equals("SyncRep")
        ? "a synchronous standby"
        : "the server itself";
  }

  private static String halfOf(double calls) {
    return text("under half of %.1f calls waiting for it", calls);
  }

  private String shared() {
    return run.bundle().sharesMachine()
        ? text(", %.0f %% by the generator", generatorPercent())
        : "";
  }

  private static String show(double nanos) {
    return Durations.show(nanos);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private Bottleneck found(Resource resource, String why, String unless) {
    return new Bottleneck(
        segment.name(),
        resource,
        why,
        unless,
        time,
        unknown.stream().distinct().collect(Collectors.toList()));
  }
}
