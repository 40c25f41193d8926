package io.shardload.history;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.json.Json;
import io.shardload.compare.aspects.RunFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A kept run.
 *
 * @param id the name of its folder
 * @param started {@link Instant#MIN} if it did not record a start
 * @param code the exit code of its verdict
 * @param rowsAtStart -1 if that is not known
 * @param series the series that it belongs to, or empty
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
    String series) {

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
        Json.text(Json.object(bundle.run(), "run"), "series", "").replaceFirst("/.*", ""));
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
}
