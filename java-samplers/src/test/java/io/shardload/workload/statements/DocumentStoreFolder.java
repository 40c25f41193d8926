package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.Options;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.folder.ShippedFolder;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.TableRows;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The workload document-store, as the plugin finds it on its class path. */
public final class DocumentStoreFolder {
  public static final Path PATH = Path.of("../taurus/workloads/document-store");

  /** A driver that uses the files of any system. */
  private static final String ANY = "noop";

  private DocumentStoreFolder() {}

  /**
   * Its model.
   *
   * @param chosen values of options
   */
  public static StatementsModel model(
      String system, long seed, long documents, Map<String, ?> chosen) {
    return model(system, seed, root(chosen, documents));
  }

  /**
   * Its model.
   *
   * @param data section {@code workload.data}, such as {@code {'documents': 40}}
   */
  public static StatementsModel model(String system, long seed, String data) {
    JsonObject root = new JsonObject();
    root.add("workload", new JsonObject());
    root.getAsJsonObject("workload").add("data", BundleFixture.parse(data));
    return model(system, seed, root);
  }

  private static StatementsModel model(String system, long seed, JsonObject config) {
    Options root = new Options("", ShippedFolder.complete(config));
    Options work = root.section("workload");
    return StatementsWorkload.read(
            root, work, system.equals(ANY) ? List.of() : List.of(system), false)
        .model(seed, work.section("data"));
  }

  /** With the value of each option under its key. */
  private static JsonObject root(Map<String, ?> chosen, long documents) {
    JsonObject root = new JsonObject();
    root.add("workload", new JsonObject());
    JsonObject data = new JsonObject();
    data.addProperty("documents", documents);
    root.getAsJsonObject("workload").add("data", data);
    root.add("schema", new JsonObject());
    JsonObject options =
        ShippedFolder.complete(root).getAsJsonObject("workload").getAsJsonObject("options");
    chosen.forEach(
        (name, value) -> {
          JsonObject option = options.getAsJsonObject(name);
          String key = option.get("key").getAsString();
          boolean bytes = option.has("unit") && value instanceof Integer;
          (key.startsWith("schema.") ? root.getAsJsonObject("schema") : data)
              .addProperty(key.substring(key.lastIndexOf('.') + 1), value + (bytes ? "B" : ""));
        });
    return root;
  }

  /** Reads it with more keys of {@code workload.data}. */
  public static void read(Options data) {
    JsonObject root = root(Map.of(), 1);
    data.keys()
        .forEach(key -> data.copy(key, root.getAsJsonObject("workload").getAsJsonObject("data")));
    model("postgresql", 1, root);
  }

  public static Entity entity(StatementsModel model) {
    return model.entity().orElseThrow();
  }

  /** All columns, as a load writes them. */
  public static TableRows rows(StatementsModel model) {
    return entity(model).stored();
  }

  /** The statements that make its tables. */
  public static List<Statement> schema(String system, Map<String, ?> chosen) {
    Options root = new Options("", ShippedFolder.complete(root(chosen, 100_000)));
    Switches switches = Switches.read(root, root.section("workload"), List.of(system));
    return Folder.read(PATH, List.of(system), switches).schema(system);
  }
}
