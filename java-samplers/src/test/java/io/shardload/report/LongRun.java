package io.shardload.report;

import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What the end of a long run costs. No test, for it asserts no time: {@code write DIRECTORY
 * INTERVALS GENERATORS} makes a bundle of ten transactions with six series each, {@code finish
 * DIRECTORY} finishes it. Run {@code finish} with the heap of the controller's child, {@code
 * -Xmx512m}.
 */
final class LongRun {
  private static final int TRANSACTIONS = 10;
  private static final List<String> SERIES =
      List.of("service", "response", "wait", "connect", "search", "fetch");
  private static final int SAMPLES = 300;

  private LongRun() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "write" ->
          write(directory, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
      case "finish" -> finish(directory);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static void finish(Path directory) throws IOException {
    long start = System.nanoTime();
    JsonObject reply = FinishVerb.finish(directory);
    System.out.printf(
        Locale.ROOT,
        "finished in %.1f s, %.1f s of a core: %s%n",
        (System.nanoTime() - start) / 1e9,
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e9,
        reply.get("verdict"));
  }

  private static void write(Path directory, int intervals, int generators) throws IOException {
    Files.createDirectories(directory);
    JsonObject run =
        Json.PRETTY.fromJson(
            "{'run':{'id':'long','profile':'long'},'target':{'name':'noop'},'workload':{},"
                + "'mix':{'t0':100},'load':{'model':'closed','workers':8,'segments':[{'name':"
                + "'hold','kind':'hold','seconds':0}]}}",
            JsonObject.class);
    JsonObject load = run.getAsJsonObject("load");
    load.addProperty("generators", generators);
    load.getAsJsonArray("segments").get(0).getAsJsonObject().addProperty("seconds", intervals);
    Files.writeString(directory.resolve("run.json"), run.toString());
    List<SlotCounts> histograms = histograms();
    for (int g = 0; g < generators; g++) {
      BundleFiles files = new BundleFiles(directory, BundleLayout.stream(g), 0);
      for (int i = 0; i < intervals; i++) {
        for (int h = 0; g == 0 && h < TRANSACTIONS * SERIES.size(); h++) {
          String tag = "hold/t" + h % TRANSACTIONS + "/" + SERIES.get(h / TRANSACTIONS);
          SlotCounts histogram = histograms.get((i * 7 + h) % histograms.size());
          files.writeHistogram(tag, i * 1_000_000_000L, (i + 1) * 1_000_000_000L, histogram);
        }
        files.writeLine(line(g, i));
      }
      files.writeLine(end(g, intervals));
      files.close();
    }
  }

  /** Around a millisecond, as those of one interval of a steady run are. */
  private static List<SlotCounts> histograms() {
    SplittableRandom random = new SplittableRandom(1);
    List<SlotCounts> histograms = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
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
      histograms.add(counts);
    }
    return histograms;
  }

  private static JsonObject line(int generator, int interval) {
    JsonObject line = new JsonObject();
    line.addProperty("generator", generator);
    line.addProperty("seq", interval);
    line.addProperty("from_ns", interval * 1_000_000_000L);
    line.addProperty("to_ns", (interval + 1) * 1_000_000_000L);
    line.addProperty("epoch_ms", interval * 1000L);
    line.addProperty("cpu_ns", interval * 100_000_000L);
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

  private static JsonObject end(int generator, int intervals) {
    JsonObject end = new JsonObject();
    end.addProperty("generator", generator);
    end.addProperty("final", true);
    end.addProperty("format", GeneratorLog.FORMAT);
    end.addProperty("stop_reason", "schedule");
    end.addProperty("actual_end_ns", intervals * 1_000_000_000L);
    return end;
  }
}
