package io.shardload.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.json.Json;
import io.shardload.compare.Aspect;
import io.shardload.compare.RunFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A kept run.
 *
 * @param id the name of its folder
 * @param started {@link Instant#MIN} if it did not record a start
 * @param code the exit code of its verdict
 * @param rowsAtStart -1 if that is not known
 * @param series the series that it belongs to, or empty
 * @param bottleneck what bounded the load, in one sentence; null if the run does not know it
 */
record KeptRun(
    String id,
    Instant started,
    String target,
    String workload,
    String profile,
    int code,
    String verdict,
    List<String> reasons,
    Conditions conditions,
    long rowsAtStart,
    Map<Figure, Reading> figures,
    Build build,
    String series,
    String bottleneck) {

  /** The missing or damaged file, in a few words for the user. */
  static final class Damaged extends Exception {
    private static final long serialVersionUID = 1;

    Damaged(String message) {
      super(message);
    }
  }

  /**
   * Reads the folder of a run.
   *
   * @throws Damaged if a file that every run leaves is missing or cannot be read
   */
  static KeptRun read(Path folder, Conditions.Pool pool) throws Damaged {
    try {
      BundleLayout layout = new BundleLayout(folder);
      Bundle bundle = BundleReader.readFacts(folder);
      if (!bundle.problems().isEmpty()) {
        throw new Damaged(String.join(", ", bundle.problems()));
      }
      JsonObject summary = BundleReader.summary(folder);
      if (summary == null) {
        throw new Damaged("no readable " + layout.summary().getFileName());
      }
      return of(folder, bundle, summary, pool);
    } catch (IOException | IllegalStateException | UnsupportedOperationException e) {
      throw new Damaged(String.valueOf(e.getMessage()));
    }
  }

  private static KeptRun of(Path folder, Bundle bundle, JsonObject summary, Conditions.Pool pool)
      throws Damaged, IOException {
    JsonObject verdict = Json.object(summary, "verdict");
    int code = (int) Json.integer(verdict, "code", -1);
    String target = Json.text(summary, "target", "");
    if (code < 0 || target.isEmpty()) {
      throw new Damaged("its summary has no verdict or no target");
    }
    if (isValid(code) && bundle.environment() == null) {
      throw new Damaged("no " + new BundleLayout(folder).environment().getFileName());
    }
    Map<Figure, Reading> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, figure.of(summary));
    }
    List<String> reasons =
        Json.array(verdict, "reasons").asList().stream().map(one -> one.getAsString()).toList();
    return new KeptRun(
        folder.getFileName().toString(),
        instant(Json.text(summary, "started", "")),
        target,
        Json.text(summary, "workload", "?"),
        Json.text(summary, "profile", "?"),
        code,
        Json.text(verdict, "name", "?"),
        reasons,
        pool.of(RunFacts.of(bundle)),
        Json.integer(bundle.environment(), "rows_at_start", -1),
        figures,
        Build.read(folder),
        Json.text(Json.object(bundle.run(), "run"), "series", "").replaceFirst("/.*", ""),
        Json.text(Json.object(summary, "bottleneck"), "sentence", null));
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException unknown) {
      return Instant.MIN;
    }
  }

  /** Its figures are valid, whether the criteria were met or missed. */
  boolean isValid() {
    return isValid(code);
  }

  private static boolean isValid(int code) {
    return code == 0 || code == 3;
  }

  /**
   * The build of a CI system in which a run was made, from build.json in the folder of the run.
   * Every field may be empty.
   *
   * @param system {@code jenkins}, {@code github} or {@code gitlab}
   * @param url a web address; anything else is not shown as a link
   */
  record Build(String system, String number, String url) {
    static final Build NONE = new Build("", "", "");

    private static final String FILE = "build.json";
    private static final Pattern WEB = Pattern.compile("https?://[^\\s\"'<>]+");

    /** The file is optional. */
    static Build read(Path folder) throws IOException {
      Path file = folder.resolve(FILE);
      if (!Files.isRegularFile(file)) {
        return NONE;
      }
      try {
        JsonElement element = JsonParser.parseString(Files.readString(file));
        JsonObject json = element.isJsonObject() ? element.getAsJsonObject() : new JsonObject();
        String url = Json.text(json, "url", "");
        return new Build(
            Json.text(json, "system", ""),
            Json.text(json, "number", ""),
            WEB.matcher(url).matches() ? url : "");
      } catch (JsonParseException e) {
        throw new IOException(FILE + " cannot be read", e);
      }
    }

    JsonElement toJson() {
      if (system.isEmpty() && number.isEmpty() && url.isEmpty()) {
        return JsonNull.INSTANCE;
      }
      JsonObject json = new JsonObject();
      json.addProperty("system", system);
      json.addProperty("number", number);
      json.addProperty("url", url);
      return json;
    }
  }

  /**
   * Under which conditions a run was made, by the aspects of {@code compare}. Runs under the same
   * conditions share one instance, because few of a thousand runs differ.
   */
  static final class Conditions {
    private static final Set<String> NO_CONDITIONS =
        Set.of(Aspect.ROWS_AT_START, Aspect.ROWS_AT_END, Aspect.HOTTEST_SHARD);

    /**
     * All aspects except the numbers of rows, which are almost never equal, and the placement,
     * which the server chooses. Properties that a target hides on both sides count as equal:
     * otherwise the target would have no history.
     */
    private static final List<Aspect> ASPECTS =
        Aspect.ALL.stream().filter(one -> !NO_CONDITIONS.contains(one.name())).toList();

    private final RunFacts facts;
    private final Map<Conditions, List<String>> differing = new HashMap<>();

    private Conditions(RunFacts facts) {
      this.facts = facts;
    }

    /** The conditions that occurred so far. */
    static final class Pool {
      private final Map<List<Map<String, String>>, Conditions> known = new HashMap<>();

      Conditions of(RunFacts facts) {
        List<Map<String, String>> members = new ArrayList<>();
        ASPECTS.forEach(aspect -> members.add(aspect.members(facts)));
        return known.computeIfAbsent(members, key -> new Conditions(facts));
      }
    }

    /** The names of the aspects in which the two are not alike, the worst first. */
    List<String> differing(Conditions other) {
      return other == this
          ? List.of()
          : differing.computeIfAbsent(
              other,
              key ->
                  ASPECTS.stream()
                      .filter(aspect -> !aspect.differing(List.of(facts, other.facts)).isEmpty())
                      .map(Aspect::name)
                      .toList());
    }
  }
}
