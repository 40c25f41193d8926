package io.shardload.calibrate;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.WholeFile;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.statements.StatementsModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** All measurements in turn, and their result. */
public final class Calibration {
  private static final int DEFAULT_ROUNDS = Goal.LEAST_ROUNDS;
  private static final int MOST_ROUNDS = 1000;
  private static final Goal POINT_READ_CPU = Goal.atMost(1.10, "");

  private final TestBed testBed;
  private final List<Figure> figures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private Calibration(TestBed testBed) {
    this.testBed = testBed;
  }

  /**
   * Measures everything, for some minutes, and writes {@code calibration.json}. An interrupt ends
   * the calibration early and leaves nothing behind.
   *
   * @param request the verb's: {@code config}, {@code jmeter_home}, {@code directory} and
   *     optionally {@code rounds}
   * @param target opened, its documents loaded
   * @return the result as in the file, with {@code lines} for the console
   */
  public static JsonObject run(JsonObject request, Target target, Progress progress)
      throws IOException, InterruptedException, CallFailure {
    int rounds = request.has("rounds") ? request.get("rounds").getAsInt() : DEFAULT_ROUNDS;
    JsonObject config = request.getAsJsonObject("config");
    Path directory = Path.of(request.get("directory").getAsString());
    Files.createDirectories(directory);
    TestBed testBed =
        new TestBed(
            config,
            RunConfig.read(config),
            target,
            Path.of(request.get("jmeter_home").getAsString()),
            directory,
            Math.max(2, Math.min(MOST_ROUNDS, rounds)),
            progress);
    return new Calibration(testBed).run();
  }

  private JsonObject run() throws IOException, InterruptedException, CallFailure {
    if (testBed.base().model() instanceof StatementsModel folder) {
      StatementCalls calls = StatementCalls.measure(testBed, folder);
      figures.addAll(calls.figures());
      notes.addAll(calls.notes());
    } else {
      ofHarness();
    }
    Path log = testBed.directory().resolve("bench.log");
    if (Files.exists(log) && Files.size(log) == 0) {
      Files.delete(log);
    }
    return result();
  }

  /** With the built-in workload, which supports all measurements. */
  private void ofHarness() throws IOException, InterruptedException, CallFailure {
    figures.addAll(NoopCeiling.measure(testBed));
    if (testBed.target().keepsData()) {
      DocumentStoreBaseline baseline = testBed.target().port(DocumentStoreBaseline.class);
      figures.addAll(pointReads(baseline));
      figures.add(BulkLoad.measure(testBed, baseline));
    }
    figures.add(Punctuality.measure(testBed));
  }

  /**
   * Reads only: inserts would make each round's table larger than the one before. The server must
   * count as many reads as both sides, once their closed connections have reported.
   */
  private List<Figure> pointReads(DocumentStoreBaseline baseline)
      throws IOException, InterruptedException, CallFailure {
    OptionalLong before = baseline.pointReads();
    Rounds rounds = Rounds.harnessAndPlain(testBed, "point reads", TestBed.POINT_READ);
    long counted = -1;
    // Until two counts are equal: what arrives late may be more than the sides did.
    boolean isWhole = before.isEmpty();
    for (int i = 0; i < 50 && !isWhole; i++) {
      Thread.sleep(200);
      long last = counted;
      counted = baseline.pointReads().orElseThrow() - before.getAsLong();
      isWhole = counted >= rounds.all() && counted == last;
    }
    String found = "counted by the server: " + (counted < 0 ? "not reported" : counted);
    boolean trusted = counted < 0 || counted == rounds.all();
    return rounds.harnessOverPlain("point read", POINT_READ_CPU).stream()
        .map(figure -> figure.checked(found, trusted))
        .toList();
  }

  private JsonObject result() throws IOException {
    JsonObject result = new JsonObject();
    result.addProperty("target", testBed.base().target().name());
    result.addProperty("rounds", testBed.rounds());
    result.addProperty("processors", Runtime.getRuntime().availableProcessors());
    result.addProperty("java", System.getProperty("java.vm.version"));
    JsonArray all = new JsonArray();
    figures.forEach(figure -> all.add(figure.json()));
    result.add("figures", all);
    if (!notes.isEmpty()) {
      result.add("notes", new Gson().toJsonTree(notes));
    }
    Path file = testBed.directory().resolve("calibration.json");
    WholeFile.writeJson(file, result);
    JsonArray lines = new JsonArray();
    Table.lines(figures, testBed.rounds()).forEach(lines::add);
    notes.forEach(lines::add);
    lines.add(file.toString());
    result.add("lines", lines);
    return result;
  }
}
