package io.shardload.remote.controller;

import com.google.gson.JsonObject;
import io.shardload.bundle.Counts;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.redis.Redis;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.Timing;
import io.shardload.remote.wire.WireEncoder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * What many generators cost the controller: {@code DIRECTORY SECONDS GENERATORS...} simulates each
 * number of generators in turn, with ten transactions of six series each second, through a real
 * Redis and the real merge. Generators send messages that were encoded before. A line says how much
 * of a core the controller's thread used, its heap, how old the newest merged second was, and what
 * went through Redis. It is no test, for it judges no time.
 */
final class ScaleBench {
  private static final int TRANSACTIONS = 10;
  private static final List<String> SERIES =
      List.of("service", "response", "wait", "connect", "search", "fetch");
  private static final int SAMPLES = 300;

  /** Different messages; more would only cost memory. */
  private static final int PATTERNS = 8;

  private static final long SECOND = 1_000_000_000;
  private static final long TICK_MILLIS = 100;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /**
   * What one run came to.
   *
   * @param coresPercent CPU time of the controller's thread per second of the run, of one core
   * @param delays age of the newest merged second at each of the controller's rounds, sorted, in
   *     seconds
   */
  record Result(
      int generators,
      long mergedSeconds,
      double coresPercent,
      double heapMebibytes,
      List<Double> delays,
      double mebibytesPerSecond,
      long longestStream,
      double bundleMebibytes) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%5d generators: controller %5.1f %% of a core, heap %4.0f MiB, newest merged second is"
              + " %.2f s old at p50 and %.2f s at most, %6.2f MiB/s, stream at most %d messages,"
              + " bundle %.1f MiB",
          generators,
          coresPercent,
          heapMebibytes,
          delays.get(delays.size() / 2),
          delays.get(delays.size() - 1),
          mebibytesPerSecond,
          longestStream,
          bundleMebibytes);
    }
  }

  private final int generators;
  private final int seconds;
  private final Path bundle;
  private final RunKeys keys = new RunKeys(UUID.randomUUID().toString(), "n");
  private final long startNanos = System.nanoTime() + SECOND;
  private final AtomicLong bytes = new AtomicLong();

  private ScaleBench(int generators, int seconds, Path bundle) {
    this.generators = generators;
    this.seconds = seconds;
    this.bundle = bundle;
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    for (int i = 2; i < arguments.length; i++) {
      int generators = Integer.parseInt(arguments[i]);
      Path bundle = Files.createTempDirectory(Files.createDirectories(directory), "scale-");
      System.out.println(run(generators, Integer.parseInt(arguments[1]), bundle));
    }
  }

  static Result run(int generators, int seconds, Path bundle) throws Exception {
    return new ScaleBench(generators, seconds, bundle).run();
  }

  private Result run() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.start();
        Redis own = Redis.connect(server.url(), null, null);
        Redis theirs = Redis.connect(server.url(), null, null)) {
      ControllerKeys point = new ControllerKeys(own, keys);
      point.open(generators);
      List<String> hosts = IntStream.range(0, generators).mapToObj(g -> "host-" + g).toList();
      Meeting meeting = new Meeting(point, hosts, false, Time.SYSTEM);
      Collection into =
          new Collection(bundle, generators, System.currentTimeMillis(), seconds * SECOND);
      meeting.start(into, 1, startNanos);
      Thread load = new Thread(() -> load(theirs), "simulated-generators");
      load.start();
      Result result = control(meeting, into, theirs);
      load.join();
      return result;
    }
  }

  /** What the controller does, in this thread. */
  private Result control(Meeting meeting, Collection into, Redis redis) throws Exception {
    List<Double> delays = new ArrayList<>();
    long longest = 0;
    double heap = 0;
    long began = THREADS.getCurrentThreadCpuTime();
    long notOurs = 0;
    while (!meeting.isOver()) {
      meeting.tick();
      long other = THREADS.getCurrentThreadCpuTime();
      double now = (System.nanoTime() - startNanos) / 1e9;
      if (now > 2 && now < seconds + 1) {
        delays.add(now - into.mergedNanos() / 1e9);
        longest = Math.max(longest, redis.xlen(keys.up()));
      }
      Runtime runtime = Runtime.getRuntime();
      heap = Math.max(heap, (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0);
      notOurs += THREADS.getCurrentThreadCpuTime() - other;
      Thread.sleep(TICK_MILLIS);
    }
    double cpu = THREADS.getCurrentThreadCpuTime() - began - notOurs;
    JsonObject end = meeting.finish();
    if (end.getAsJsonArray("finals").size() != generators) {
      throw new IllegalStateException("not everything arrived: " + meeting.status());
    }
    Collections.sort(delays);
    return new Result(
        generators,
        Math.round(into.mergedNanos() / 1e9),
        100 * cpu / (seconds * SECOND),
        heap,
        delays,
        bytes.get() / 1048576.0 / seconds,
        longest,
        size(bundle) / 1048576.0);
  }

  private static long size(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Sends what all generators send, evenly over each second, in one thread. */
  private void load(Redis redis) {
    try {
      List<List<Message.Histogram>> patterns = patterns();
      for (int second = 0; second < seconds; second++) {
        List<byte[]> templates = new ArrayList<>();
        for (List<Message.Histogram> pattern : patterns) {
          templates.add(
              WireEncoder.encode(
                  new Message.Second(0, line(second), pattern, second * 64L, new byte[64])));
        }
        int sent = 0;
        while (sent < generators) {
          long due = startNanos + (second + 1) * SECOND + sent * SECOND / 2 / generators;
          sleepUntil(due);
          List<byte[]> some = new ArrayList<>();
          for (int i = 0; i < 10 && sent < generators; i++, sent++) {
            some.add(of(templates.get(sent % PATTERNS), sent));
          }
          some.forEach(message -> bytes.addAndGet(message.length));
          redis.exchange(keys.up(), some, keys.run(), Timing.KEY_LIFE);
        }
      }
      for (int g = 0; g < generators; g++) {
        JsonObject last = line(seconds);
        last.remove("segments");
        redis.xadd(keys.up(), WireEncoder.encode(new Message.Final(g, last, 0, seconds * 64L)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    long millis = (nanos - System.nanoTime()) / 1_000_000;
    if (millis > 0) {
      Thread.sleep(millis);
    }
  }

  /** A message of generator 0 as one of another generator. */
  private static byte[] of(byte[] template, int generator) {
    byte[] head = WireEncoder.encode(new Message.Beat(generator, 0));
    int numberBytes = head.length - 3;
    byte[] message = new byte[template.length - 1 + numberBytes];
    message[0] = template[0];
    message[1] = template[1];
    System.arraycopy(head, 2, message, 2, numberBytes);
    System.arraycopy(template, 3, message, 2 + numberBytes, template.length - 3);
    return message;
  }

  private static List<List<Message.Histogram>> patterns() {
    SplittableRandom random = new SplittableRandom(1);
    List<List<Message.Histogram>> patterns = new ArrayList<>();
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
      List<Message.Histogram> one = new ArrayList<>();
      for (int t = 0; t < TRANSACTIONS; t++) {
        for (String series : SERIES) {
          one.add(new Message.Histogram("hold/t" + t + "/" + series, counts(random)));
        }
      }
      patterns.add(one);
    }
    return patterns;
  }

  /** Around a millisecond, as those of one second of a steady run are. */
  private static SlotCounts counts(SplittableRandom random) {
    int[] bySlot = new int[Slots.COUNT];
    for (int n = 0; n < SAMPLES; n++) {
      double spread = 0;
      for (int k = 0; k < 12; k++) {
        spread += random.nextDouble() - 0.5;
      }
      bySlot[Slots.of(Math.round(1e6 * Math.exp(spread / 2)))]++;
    }
    SlotCounts counts = new SlotCounts();
    for (int slot = 0; slot < bySlot.length; slot++) {
      if (bySlot[slot] > 0) {
        counts.add(slot, bySlot[slot]);
      }
    }
    return counts;
  }

  private static JsonObject line(int second) {
    JsonObject line = new JsonObject();
    line.addProperty("seq", second);
    line.addProperty("from_ns", second * SECOND);
    line.addProperty("to_ns", (second + 1) * SECOND);
    line.addProperty("epoch_ms", second * 1000L);
    line.addProperty("cpu_ns", second * 100_000_000L);
    line.addProperty("gc_ns", second * 1_000_000L);
    line.addProperty("workers", 50);
    line.addProperty("backlog", 3);
    JsonObject transactions = new JsonObject();
    for (int t = 0; t < TRANSACTIONS; t++) {
      JsonObject counts = new JsonObject();
      for (Counts.Field counter : Counts.Field.values()) {
        String field = counter.key();
        boolean counted = List.of("started", "done", "rows", "on_time").contains(field);
        counts.addProperty(field, counted ? SAMPLES : 0);
      }
      counts.add("errors", new JsonObject());
      JsonObject max = new JsonObject();
      SERIES.forEach(series -> max.addProperty(series, 5_123_456));
      counts.add("max_ns", max);
      transactions.add("t" + t, counts);
    }
    JsonObject segments = new JsonObject();
    segments.add("hold", transactions);
    line.add("segments", segments);
    return line;
  }
}
