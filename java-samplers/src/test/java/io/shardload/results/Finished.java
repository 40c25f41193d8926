package io.shardload.results;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finishes a bundle for tests that look at its summary. */
public final class Finished {
  private Finished() {}

  /** summary.json after the verb {@code finish}. */
  public static JsonObject summary(Path bundle) throws IOException {
    FinishVerb.finish(bundle);
    return JsonParser.parseString(Files.readString(bundle.resolve("summary.json")))
        .getAsJsonObject();
  }
}
