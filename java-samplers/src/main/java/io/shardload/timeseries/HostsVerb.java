package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostsFile;
import io.shardload.bundle.json.Json;
import io.shardload.hosts.LocalHosts;
import io.shardload.timeseries.StoreHosts.Limits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The verb {@code hosts} of the controller's child: writes into a bundle what the machines did,
 * from the store of the request, or else from what the generators sampled. A store that the bundle
 * names is not asked: a bundle may come from anywhere.
 */
public final class HostsVerb {
  private HostsVerb() {}

  /**
   * Writes hosts.json if there is any content.
   *
   * @param request {@code directory}; {@code hurried} if the user wants the run to end soon; {@code
   *     store} of the checked configuration, if the target names one
   * @return {@code missing}, the unknown figures with the reason
   * @throws IOException if run.json is missing or the file cannot be written
   */
  public static JsonObject run(JsonObject request) throws IOException {
    Limits limits = Json.flag(request, "hurried") ? Limits.HURRIED : Limits.USUAL;
    return run(request, limits, System::getenv);
  }

  static JsonObject run(JsonObject request, Limits limits, UnaryOperator<String> environment)
      throws IOException {
    Path directory = Path.of(request.get("directory").getAsString());
    JsonObject store = Json.object(request, "store");
    HostMetrics metrics = metrics(BundleReader.read(directory), store, limits, environment);
    JsonObject reply = new JsonObject();
    if (metrics != null) {
      Path file = new BundleLayout(directory).hosts();
      WholeFile.write(file, out -> HostsFile.write(metrics, out));
      reply.add("missing", Json.strings(metrics.missing()));
    }
    return reply;
  }

  /**
   * Null where the run neither had a store nor sampled. These figures are not part of the
   * measurement and never fail a run.
   */
  private static HostMetrics metrics(
      Bundle bundle, JsonObject store, Limits limits, UnaryOperator<String> environment) {
    String url = Json.text(store, "url", "");
    try {
      if (!url.isEmpty()) {
        return StoreHosts.read(
            bundle, store, limits, environment, () -> System.currentTimeMillis() / 1000.0);
      }
      boolean isLocal = Json.text(bundle.run(), "host_metrics", "").equals(HostMetrics.LOCAL);
      return isLocal ? LocalHosts.read(bundle) : null;
    } catch (RuntimeException e) {
      e.printStackTrace(); // Into the log of the child.
      String why = "cannot compute the machine figures: " + e;
      return url.isEmpty()
          ? new HostMetrics(HostMetrics.LOCAL, "", 1, List.of(), List.of(why))
          : StoreHosts.nothing(url, why);
    }
  }
}
