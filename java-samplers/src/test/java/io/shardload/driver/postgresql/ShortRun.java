package io.shardload.driver.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.VerificationMode;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.generator.GeneratorProcess;
import io.shardload.generator.LoadThreads;
import io.shardload.generator.RunConfig;
import io.shardload.verify.Verification;
import io.shardload.verify.Verifier;
import io.shardload.workload.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A whole run in this JVM: schema, load, a second of the study's mix, verification. */
public final class ShortRun {
  public static final int DOCUMENTS = 300;
  private static final int RATE = 200;

  private static final String MIX =
      """
      {"update": 10, "delete": 5, "insert": 15,
       "find-by-id-and-filter4-and-filter5-list": 10, "find-by-id-and-filter4-list": 10,
       "find-by-id-and-filter5": 10, "find-by-id-and-filter2": 10,
       "find-by-id-and-filter2-list": 10, "find-by-id-and-filter3-lte": 10,
       "find-by-id-and-filter1": 10}
      """;

  private final RunConfig config;

  public ShortRun(TargetConfig target, String documentSize, Path directory) throws Exception {
    this(target, DOCUMENTS, documentSize, directory);
  }

  public ShortRun(TargetConfig target, int documents, String documentSize, Path directory)
      throws Exception {
    this(target, documents, documentSize, directory, 1);
  }

  public ShortRun(
      TargetConfig target, int documents, String documentSize, Path directory, int seconds)
      throws Exception {
    this(target, documents, documentSize, directory, MIX, openLoad(seconds));
  }

  private ShortRun(
      TargetConfig target,
      int documents,
      String documentSize,
      Path directory,
      String mix,
      String load)
      throws Exception {
    String text =
        """
        {"run": {"id": "%s", "directory": "%s"},
         "workload": {"name": "document-store", "seed": 1,
                      "data": {"documents": %d, "tenants": 5, "document-size": "%s"}},
         "scenario": "mix",
         "mix": %s,
         "load": %s}
        """
            .formatted(directory.getFileName(), directory, documents, documentSize, mix, load);
    JsonObject json = JsonParser.parseString(text).getAsJsonObject();
    JsonObject section = new JsonObject();
    section.addProperty("driver", target.driver());
    section.addProperty("url", target.url());
    section.addProperty("user", target.user());
    section.addProperty("password-env", target.passwordEnv());
    section.add("options", target.options());
    json.add("target", section);
    json.add("schema", target.schema());
    config = RunConfig.read(json);
    Files.createDirectories(directory);
  }

  /** One worker that finds documents one by one, and thinks for some seconds between its calls. */
  public static ShortRun thinking(
      TargetConfig target, double thinkSeconds, int seconds, Path directory) throws Exception {
    String load =
        """
        {"model": "closed", "workers": 1, "generator": 0, "generators": 1,
         "think_time": {"distribution": "constant", "mean_seconds": %s},
         "segments": [{"name": "hold", "kind": "hold", "seconds": %d,
                       "from_workers": 1, "to_workers": 1}]}
        """
            .formatted(thinkSeconds, seconds);
    return new ShortRun(
        target, DOCUMENTS, "200B", directory, "{\"find-by-id-and-filter1\": 100}", load);
  }

  private static String openLoad(int seconds) {
    return """
        {"model": "open", "arrivals": "constant", "workers": 4, "generator": 0, "generators": 1,
         "segments": [{"name": "hold", "kind": "hold", "seconds": %d,
                       "from_rate": %d, "to_rate": %d, "from_workers": 4, "to_workers": 4}]}
        """
        .formatted(seconds, RATE, RATE);
  }

  /** What the connections of its load are called on the server. */
  public String applicationName() {
    return config.session().applicationName();
  }

  /**
   * Loads, runs and verifies.
   *
   * @param whileRunning what to look at on the target, when the load is over and its connections
   *     are still open
   */
  public Verification run(boolean recreate, Consumer<Target> whileRunning) throws Exception {
    try (Target target = config.driver().open(config.target(), config.session().asController())) {
      DataSet dataSet = DataSet.open(target, config.workload(), config.model(), recreate);
      dataSet.load(done -> {});
      dataSet.begin(config.runId());
      generate(Optional.empty(), () -> whileRunning.accept(target));
      return verify(target);
    }
  }

  /** Loads, runs until something else has come to its end, and verifies. */
  public Verification runUntilEndOf(Runnable something) throws Exception {
    try (Target target = config.driver().open(config.target(), config.session().asController())) {
      DataSet dataSet = DataSet.open(target, config.workload(), config.model(), false);
      dataSet.load(done -> {});
      dataSet.begin(config.runId());
      generate(Optional.of(something), () -> {});
      return verify(target);
    }
  }

  private Verification verify(Target target) throws Exception {
    return new Verifier(target, config.workload(), config.model())
        .verify(
            config.directory(),
            VerificationMode.ALL,
            applicationName(),
            Duration.ofMinutes(1),
            Progress.UNHEARD);
  }

  /** A slow machine may drop arrivals; each one that began has an honest answer. */
  public void assertEveryCallWasAnswered() throws Exception {
    assertThat(counted("started")).isPositive();
    assertThat(counted("done") + counted("missing")).isEqualTo(counted("started"));
  }

  /** The ledger line of the generator's end, and all lines before it. */
  private String ledger() throws Exception {
    return Files.readString(config.directory().resolve("latencies/generator-0.jsonl"));
  }

  /** How often a name stands in the ledger with a number other than zero, added up. */
  public long counted(String name) throws Exception {
    long sum = 0;
    for (String line : ledger().lines().toList()) {
      sum += counted(name, new Gson().fromJson(line, JsonObject.class));
    }
    return sum;
  }

  private static long counted(String name, JsonObject json) {
    long sum = 0;
    for (var entry : json.entrySet()) {
      if (entry.getValue().isJsonObject()) {
        sum += counted(name, entry.getValue().getAsJsonObject());
      } else if (entry.getKey().equals(name)) {
        sum += entry.getValue().getAsLong();
      }
    }
    return sum;
  }

  private void generate(Optional<Runnable> beside, Runnable atTheEnd) throws Exception {
    try (GeneratorProcess process = GeneratorProcess.open(config, false);
        LoadThreads threads = LoadThreads.start(process, config.load().workers())) {
      if (beside.isPresent()) {
        beside.get().run();
        process.stop("stop");
      }
      threads.await();
      atTheEnd.run();
    }
  }
}
