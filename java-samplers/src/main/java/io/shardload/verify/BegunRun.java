package io.shardload.verify;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.dataset.Replacement;
import io.shardload.driver.Header;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Records in the run's bundle that the run has marked the data set. If the database loses that
 * mark, only the bundle shows whether the run was settled.
 *
 * @param identity of the data set, {@link Header#identity}
 * @param generation of the data set that the run began with
 * @param settled whether a verification has settled the data set for this run
 */
public record BegunRun(String identity, long generation, boolean settled) {
  private static final String IDENTITY = "identity";
  private static final String GENERATION = "generation";
  private static final String SETTLED = "settled";

  /** Writes the record into the run's bundle and returns the header with the run's mark. */
  public static Header write(Path bundle, Header header) throws IOException {
    if (header.clean()) {
      return header; // The target keeps no data.
    }
    JsonObject json = new JsonObject();
    json.addProperty("run", header.dirtyRun());
    json.addProperty(IDENTITY, header.identity());
    json.addProperty(GENERATION, header.generation());
    json.addProperty("high_water", header.highWater());
    json.addProperty(SETTLED, false);
    Path file = new BundleLayout(bundle).begun();
    Files.createDirectories(file.getParent());
    WholeFile.writeJson(file, json);
    return header;
  }

  /**
   * Records that the data set was settled for the run of a bundle, if the header now shows this.
   */
  static void noteSettled(Path bundle, Optional<Header> now) throws IOException {
    Optional<BegunRun> begun = now.isPresent() ? read(bundle) : Optional.empty();
    boolean settled =
        begun.isPresent()
            && begun.get().identity.equals(now.get().identity())
            && now.get().generation() > begun.get().generation;
    if (settled && !begun.get().settled) {
      JsonObject json = file(bundle).orElseThrow();
      json.addProperty(SETTLED, true);
      WholeFile.writeJson(new BundleLayout(bundle).begun(), json);
    }
  }

  /** The record of a bundle; empty if it has none. */
  static Optional<BegunRun> read(Path bundle) throws IOException {
    return file(bundle)
        .map(
            json ->
                new BegunRun(
                    Json.text(json, IDENTITY, ""),
                    Json.integer(json, GENERATION, -1),
                    json.has(SETTLED) && json.get(SETTLED).getAsBoolean()));
  }

  /**
   * Whether this header is from before the run and the run was not settled. Then the database has
   * lost the run's mark.
   */
  boolean lostIn(Header header) {
    return header.clean()
        && !settled
        && identity.equals(header.identity())
        && generation == header.generation();
  }

  /**
   * The bundle of the run whose mark the database has lost, among all runs.
   *
   * @param header of the data set; a marked header has lost no mark
   * @throws ConfigException there are several: one settlement cannot end them all
   */
  static Optional<Path> lost(Path runs, Header header) throws IOException {
    List<Path> found = new ArrayList<>();
    if (!header.clean() || !Files.isDirectory(runs)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> bundles = Files.newDirectoryStream(runs, Files::isDirectory)) {
      for (Path bundle : bundles) {
        if (isLost(bundle, header)) {
          found.add(bundle);
        }
      }
    }
    if (found.size() > 1) {
      List<String> names = found.stream().map(path -> path.getFileName().toString()).toList();
      throw Replacement.unsettled(
          "the database has lost the marks of %d runs, %s, so their documents cannot be distinguished"
              .formatted(found.size(), String.join(", ", names.stream().sorted().toList())),
          names.get(0));
    }
    return found.stream().findFirst();
  }

  private static boolean isLost(Path bundle, Header header) throws IOException {
    try {
      boolean wrote =
          Journals.any(bundle) || !new BundleLayout(bundle).generatorsWithLedger().isEmpty();
      return wrote && read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
    } catch (UnverifiableException e) {
      return false; // A torn file of another run must not block this run.
    }
  }

  /**
   * Refuses to begin a run on a data set that has lost the mark of an earlier run: the new run
   * would use the earlier run's ordinals again.
   *
   * @param runs the folder of all bundles, or null
   */
  public static void refuseLost(Path runs, Header header) throws IOException {
    Optional<Path> bundle = runs == null ? Optional.empty() : lost(runs, header);
    if (bundle.isPresent()) {
      String run = bundle.get().getFileName().toString();
      throw Replacement.unsettled(
          "the database has lost the mark of run %s on the data set, for example in a failover; if you restored an older state on purpose, move %s elsewhere"
              .formatted(run, bundle.get()),
          run);
    }
  }

  private static Optional<JsonObject> file(Path bundle) throws IOException {
    Path file = new BundleLayout(bundle).begun();
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JsonParser.parseString(Files.readString(file)).getAsJsonObject());
    } catch (JsonParseException | IllegalStateException e) {
      throw new UnverifiableException(file + " cannot be read");
    }
  }
}
