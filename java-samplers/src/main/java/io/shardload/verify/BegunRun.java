package io.shardload.verify;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.driver.Header;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * That a run has marked the data set, kept in its bundle: where a database has lost that mark, only
 * the bundle can tell a run that was never settled from one that was.
 */
public final class BegunRun {
  private static final String GENERATION = "generation";

  private BegunRun() {}

  /** Keeps it in the run's bundle, and returns the header as the run has marked it. */
  public static Header write(Path bundle, Header header) throws IOException {
    if (header.clean()) {
      return header; // The target keeps no data.
    }
    JsonObject json = new JsonObject();
    json.addProperty("run", header.dirtyRun());
    json.addProperty(GENERATION, header.generation());
    json.addProperty("high_water", header.highWater());
    Path file = new BundleLayout(bundle).begun();
    Files.createDirectories(file.getParent());
    WholeFile.writeJson(file, json);
    return header;
  }

  /** The generation of the data set that the run began with; empty if the bundle does not say. */
  static OptionalLong generation(Path bundle) throws IOException {
    Path file = new BundleLayout(bundle).begun();
    if (!Files.exists(file)) {
      return OptionalLong.empty();
    }
    try {
      JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      return OptionalLong.of(Json.integer(json, GENERATION, -1));
    } catch (JsonParseException | IllegalStateException e) {
      throw new UnverifiableException(file + " cannot be read");
    }
  }
}
