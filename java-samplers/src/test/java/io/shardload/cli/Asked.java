package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.driver.TestDatabases.Database;
import java.nio.file.Path;

/** What a controller asks of its child, for tests: one configuration, one child. */
final class Asked implements AutoCloseable {
  private static final Listener NOBODY =
      new Listener() {
        @Override
        public void step(String what, long done, long total, String unit) {}

        @Override
        public void note(String text) {}
      };

  private final Verbs verbs = new Verbs();
  private final JsonObject config;

  /** A configuration with these sections {@code target} and {@code workload.data}. */
  Asked(String target, String data, Path directory) {
    config =
        BundleFixture.parse(
            """
            {'run': {'id': '%s', 'directory': '%s'},
             'target': %s,
             'workload': {'name': 'document-store', 'seed': 1, 'data': %s},
             'mix': {'find-by-id-and-filter1': 100},
             'load': {'model': 'closed', 'workers': 2, 'generator': 0, 'generators': 1,
                      'segments': [{'name': 'hold', 'kind': 'hold', 'seconds': 1,
                                    'from_workers': 2, 'to_workers': 2}]}}
            """
                .formatted(directory.getFileName(), directory, target, data));
  }

  static Asked of(Database database, String data, Path directory) {
    return new Asked(target(database, ""), data, directory);
  }

  /** The section {@code target} of a database, with more keys. */
  static String target(Database database, String more) {
    return "{'driver': 'postgresql', 'url': '%s', 'user': '%s', 'options': {}%s}"
        .formatted(database.url(), database.server().user(), more);
  }

  /** The same with another section. */
  Asked with(String section, String content) {
    config.add(section, BundleFixture.parse(content));
    return this;
  }

  /** Of the bundle. */
  Path directory() {
    return Path.of(config.getAsJsonObject("run").get("directory").getAsString());
  }

  JsonObject ask(String verb) throws Exception {
    JsonObject request = new JsonObject();
    request.addProperty("verb", verb);
    request.add("config", config);
    return verbs.run(request, NOBODY);
  }

  /** As the controller does it: what the verb answers is the configuration from now on. */
  JsonObject settleSize() throws Exception {
    JsonObject workload = ask("size").getAsJsonObject("workload");
    config.add("workload", workload);
    return workload;
  }

  @Override
  public void close() {
    verbs.close();
  }
}
