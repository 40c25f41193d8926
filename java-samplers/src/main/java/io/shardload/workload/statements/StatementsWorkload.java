package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.Model;
import io.shardload.workload.Workload;
import io.shardload.workload.statements.definition.CrossCheck;
import io.shardload.workload.statements.definition.Definitions;
import io.shardload.workload.statements.definition.SystemPlans;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.parameters.Parameters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A workload whose tables and statements are files of one folder. */
public final class StatementsWorkload implements Workload {
  private static final String ROOT = "SHARDLOAD_ROOT";
  private static final String NAME = "[a-z][a-z0-9-]*";

  private final String name;
  private final Folder folder;
  private final List<String> systems;
  private final JsonObject tables;
  private final JsonObject parameters;
  private final JsonObject transactions;
  private final JsonObject checks;
  private final boolean mayWrite;
  private StatementsModel model;

  private StatementsWorkload(
      String name, Folder folder, List<String> systems, Options work, boolean mayWrite) {
    this.name = name;
    this.folder = folder;
    this.systems = systems;
    this.tables = work.section("data").subtree("tables");
    this.parameters = work.subtree("parameters");
    this.transactions = work.subtree("transactions");
    this.checks = work.subtree("checks");
    this.mayWrite = mayWrite;
  }

  /**
   * Reads the folder that the section {@code workload} names.
   *
   * @param driverSystems names of the systems that the target may be; empty for any
   * @param mayWrite whether the run may write to existing data of the user
   * @throws ConfigException all problems of its files
   */
  public static StatementsWorkload read(
      Options work, List<String> driverSystems, boolean mayWrite) {
    String name = work.requiredText("name");
    if (!name.matches(NAME)) {
      throw new ConfigException(
          work.pathOf("name"), "'" + name + "' is not of the form " + NAME + ", such as my-shop");
    }
    Folder folder = Folder.read(path(work.requiredText("folder")), driverSystems);
    String hash = work.text("hash", folder.hash());
    if (!hash.equals(folder.hash())) {
      throw new ConfigException(
          work.pathOf("folder"), "the folder " + folder.path() + " differs from the controller's");
    }
    List<String> systems =
        driverSystems.isEmpty() ? folder.all().keySet().stream().sorted().toList() : driverSystems;
    return new StatementsWorkload(name, folder, systems, work, mayWrite);
  }

  /** Relative to the checkout, if there is one. */
  private static Path path(String text) {
    return Path.of(System.getenv().getOrDefault(ROOT, ""))
        .resolve(text)
        .toAbsolutePath()
        .normalize();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> transactions() {
    return folder.names(SystemPlans.TRANSACTIONS);
  }

  @Override
  public Model<?> model(long seed, Options data) {
    if (model == null) {
      model = read(seed, data);
    }
    return model;
  }

  private StatementsModel read(long seed, Options data) {
    boolean existing = data.flag("existing", false);
    List<Parameters> read = new ArrayList<>();
    List<Definitions> defined = new ArrayList<>();
    ConfigException.all(
        () ->
            read.add(
                Parameters.read(
                    new Options("workload.parameters", parameters), data, folder.path(), seed)),
        () ->
            defined.add(
                Definitions.read(
                    transactions,
                    transactions(),
                    checks,
                    folder.names(SystemPlans.CHECKS),
                    existing)));
    CrossCheck.run(folder, defined.get(0), read.get(0), systems);
    Map<String, SystemPlans> plans = new LinkedHashMap<>();
    systems.forEach(system -> plans.put(system, SystemPlans.of(system, folder, defined.get(0))));
    return new StatementsModel(
        new Source(seed, folder, parameters, tables, mayWrite), read.get(0), defined.get(0), plans);
  }
}
