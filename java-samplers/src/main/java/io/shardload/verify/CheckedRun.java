package io.shardload.verify;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.SettledEffects;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.Checks.Verdict;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A run whose single documents are not tracked. Its checks use the counts of its calls. The counts
 * are stored next to the data for the checks of later runs.
 *
 * @param header of the data set, marked for the run; null if the data set has no header
 * @param bundle of the run, or an empty folder
 */
public record CheckedRun(Target target, Model<?> model, Header header, Path bundle) {
  private static final String BEFORE = "checks_before";

  /**
   * The result.
   *
   * @param notRun why no check was run, or why one failed where none found wrong data; or empty
   * @param checks all answers, as verification.json has them; those from before the run come first
   * @param wrong how many found the data wrong
   * @param asked whether any check was answered
   */
  public record Result(String notRun, JsonArray checks, long wrong, boolean asked) {
    /** Of a workload without checks. */
    static final Result NONE = new Result("", null, 0, false);

    private static Result notRun(String reason) {
      return new Result(reason, new JsonArray(), 0, false);
    }
  }

  /**
   * Runs the checks after a run and settles the data set if no check finds wrong data. If the end
   * of a ledger is missing, the data set stays dirty.
   */
  public Result verify() throws CallFailure, IOException {
    RunEffects run = RunEffects.read(bundle);
    Result result = ask(run);
    if (result.notRun().isEmpty() && result.wrong() == 0) {
      settle(run);
    } else if (result.wrong() > 0 && header != null) {
      DataSet.markWrong(target.dataSets(), header);
    }
    return result;
  }

  /** Runs the checks after a run; settles nothing. */
  Result ask() throws CallFailure, IOException {
    return ask(RunEffects.read(bundle));
  }

  /**
   * Writes the effects of all runs under the generation that follows.
   *
   * @return why the effects are not known; empty if they are written
   */
  String writeEffects() throws CallFailure, IOException {
    RunEffects run = RunEffects.read(bundle);
    if (run.missing().isEmpty()) {
      SettledEffects.write(target.dataSets(), header, all(run));
    }
    return run.missing();
  }

  /** Whether the workload has checks. */
  static boolean hasChecks(Model<?> model) {
    return model.checks().filter(checks -> checks.any(true) || checks.any(false)).isPresent();
  }

  private Result ask(RunEffects run) throws CallFailure, IOException {
    if (header != null && !header.ofRun() && run.begun()) {
      return Result.notRun(
          "another verification has already settled this run, so its calls cannot be counted");
    }
    if (!run.missing().isEmpty()) {
      return Result.notRun("not verifiable: " + run.missing());
    }
    Map<String, Effects> effects = header == null && !run.begun() ? null : all(run);
    JsonArray lines = before(bundle);
    List<Checks.Answer> answers = checks().ask(target, false, effects);
    answers.forEach(answer -> lines.add(line(answer, false)));
    long wrong = answers.stream().filter(one -> one.verdict() == Verdict.WRONG).count();
    boolean asked = answers.stream().anyMatch(one -> one.verdict() != Verdict.NOT_RUN);
    String failed =
        answers.stream()
            .filter(one -> wrong == 0 && one.verdict() == Verdict.FAILED)
            .map(one -> "check %s: %s".formatted(one.name(), one.detail()))
            .findFirst()
            .orElse("");
    return new Result(failed, lines, wrong, asked);
  }

  /** Settles the data set from the run's ledgers, without a check; returns the result in words. */
  public String settleOnly() throws CallFailure, IOException {
    if (header == null) {
      return "existing data has nothing to settle";
    }
    RunEffects run = RunEffects.read(bundle);
    if (!header.ofRun()) {
      return "the data set is already settled";
    }
    if (!run.missing().isEmpty()) {
      return run.missing() + ", so the data set stays dirty";
    }
    settle(run);
    return "the data set was settled with the counts of the run's calls";
  }

  private void settle(RunEffects run) throws CallFailure {
    if (header != null && !header.clean()) {
      SettledEffects.settle(target.dataSets(), header, all(run));
    }
  }

  /** Includes the counts of earlier runs, if the target stores them. */
  private Map<String, Effects> all(RunEffects run) throws CallFailure {
    Map<String, Effects> all =
        header == null ? new TreeMap<>() : SettledEffects.read(target.dataSets(), header);
    run.effects().forEach((name, of) -> all.merge(name, of, Effects::plus));
    return all;
  }

  private Checks checks() {
    return model.checks().orElseThrow();
  }

  /**
   * Runs the checks before a run.
   *
   * @param header of the data set, clean
   * @return the answers, as the run's environment.json has them
   * @throws WrongDataException a check finds wrong data, so the run must not begin: afterwards its
   *     errors could not be distinguished from earlier errors
   */
  public static JsonArray before(Target target, Model<?> model, Header header) throws CallFailure {
    JsonArray lines = new JsonArray();
    if (!hasChecks(model) || !target.keepsData()) {
      return lines;
    }
    Map<String, Effects> effects =
        model.keepsRecord() ? SettledEffects.read(target.dataSets(), header) : Map.of();
    for (Checks.Answer answer : model.checks().get().ask(target, true, effects)) {
      if (answer.verdict() == Verdict.WRONG) {
        throw new WrongDataException(
            "check %s found wrong data before the run: %s; nothing was started"
                .formatted(answer.name(), answer.detail()));
      }
      lines.add(line(answer, true));
    }
    return lines;
  }

  /** Adds the answers from before the run to its environment. */
  public static void keep(JsonArray before, JsonObject environment) {
    if (!before.isEmpty()) {
      environment.add(BEFORE, before);
    }
  }

  private static JsonArray before(Path bundle) throws IOException {
    Path file = new BundleLayout(bundle).environment();
    return Files.isRegularFile(file)
        ? Json.array(JsonParser.parseString(Files.readString(file)).getAsJsonObject(), BEFORE)
            .deepCopy()
        : new JsonArray();
  }

  private static JsonObject line(Checks.Answer answer, boolean before) {
    JsonObject json = new JsonObject();
    json.addProperty("name", answer.name());
    json.addProperty("when", before ? "before" : "after");
    json.addProperty("verdict", answer.verdict().label());
    json.addProperty("rows", answer.rows());
    json.addProperty("detail", answer.detail());
    return json;
  }

  /**
   * What the calls of a run did, from the ledgers of all its generators, warm-up included.
   *
   * @param begun whether any generator has begun
   * @param missing why the effects are not known; empty if they are known
   */
  private record RunEffects(boolean begun, String missing, Map<String, Effects> effects) {
    /**
     * Reads the effects. A ledger without its final line may lack calls, so the effects are not
     * known then. A generator on the controller's machine creates its ledger before its first call,
     * so without a ledger it did not begin. The ledger of a load host may still be on that host.
     */
    static RunEffects read(Path bundle) throws IOException {
      BundleLayout layout = new BundleLayout(bundle);
      boolean any = !layout.generatorsWithLedger().isEmpty();
      JsonObject run = new JsonObject();
      if (Files.exists(layout.run())) {
        try {
          run = JsonParser.parseString(Files.readString(layout.run())).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
          return unknown(any, layout.run() + " cannot be read");
        }
      }
      long generators =
          run.has("load") ? Json.integer(Json.object(run, "load"), "generators", 1) : 0;
      for (int generator = 0; generator < generators; generator++) {
        if (run.has("hosts") && !layout.generatorsWithLedger().contains(generator)) {
          return unknown(any, "generator %d left no ledger".formatted(generator));
        }
      }
      Map<String, Counts> counts = new TreeMap<>();
      for (GeneratorLog generator : BundleReader.generators(bundle)) {
        if (generator.end() == null || !generator.problems().isEmpty()) {
          return unknown(
              any, "the ledger of generator %d is incomplete".formatted(generator.generator()));
        }
        generator.forEachLine(
            line ->
                line.segments()
                    .values()
                    .forEach(
                        segment ->
                            segment.forEach(
                                (name, more) ->
                                    counts.computeIfAbsent(name, n -> new Counts()).add(more))));
      }
      for (Map.Entry<String, Counts> one : counts.entrySet()) {
        if (!one.getValue().outcomesClose()) {
          return unknown(
              any, "the ledger of transaction %s does not close".formatted(one.getKey()));
        }
      }
      Map<String, Effects> effects = new TreeMap<>();
      counts.forEach(
          (name, of) ->
              effects.put(
                  name,
                  new Effects(
                      of.get(Field.DONE),
                      of.get(Field.UNKNOWN),
                      of.get(Field.REFUSED),
                      of.get(Field.CHANGED_ROWS))));
      return new RunEffects(any, "", effects);
    }

    private static RunEffects unknown(boolean begun, String why) {
      return new RunEffects(begun, why, Map.of());
    }
  }
}
