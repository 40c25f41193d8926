package io.shardload.workload.statements;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables of a folder on a server, and the server's check of the statements.
 *
 * @param folder its name, for messages
 * @param used transactions of the run
 */
record ServerSchema(
    StatementAdmin admin,
    String folder,
    SystemPlans plans,
    Parameters parameters,
    Tables tables,
    List<String> used,
    List<Rehearsal> rehearsals) {

  /** The existing tables of the load. */
  List<String> present() throws CallFailure {
    return parameters.existing() ? List.of() : admin.present(tables.names());
  }

  /** Refuses statements that the server rejects; changes nothing. */
  void check(boolean recreate) throws CallFailure {
    List<String> present = recreate ? List.of() : present();
    refuse(problems(present));
    if (!present.isEmpty()) {
      admin.checkTables(plans.schema());
    }
  }

  /**
   * Creates the tables if they do not exist, or what is missing of them.
   *
   * @param making what is dropped first
   * @param steps receives steps that may take long
   * @return whether it created any
   */
  boolean create(Making making, Progress steps) throws CallFailure {
    boolean recreate = making.again();
    List<String> present = present();
    if (!recreate && !present.isEmpty() && present.size() < tables.names().size()) {
      List<String> missing = new ArrayList<>(tables.names());
      missing.removeAll(present);
      throw new ConfigException(
              "target",
              "has table %s, but not %s"
                  .formatted(String.join(", ", present), String.join(", ", missing)))
          .advise(Advice.recreate("to drop the tables and load again"));
    }
    refuse(problems(recreate ? List.of() : present));
    if (parameters.existing()) {
      return false;
    }
    if (!recreate && !present.isEmpty()) {
      return admin.completeTables(plans.schema(), steps);
    }
    admin.createTables(plans.schema(), making, steps);
    return true;
  }

  /** All problems of the files, one per line; existing tables may come from an earlier schema. */
  List<String> problems() throws CallFailure {
    return problems(List.of());
  }

  private List<String> problems(List<String> present) throws CallFailure {
    List<String> lines = new ArrayList<>();
    boolean make = !parameters.existing() && present.isEmpty();
    if (make && plans.schema().isEmpty() && !tables.names().isEmpty()) {
      lines.add("%s has no schema for %s".formatted(folder, plans.system()));
      return lines;
    }
    SystemPlans compared = plans.comparing();
    List<Plan> all = compared.all().stream().filter(plan -> matters(plan, compared)).toList();
    String lacking = admin.lacksTransactions();
    for (Plan plan : all) {
      if (!lacking.isEmpty() && plan.isolation().atomic()) {
        lines.add(
            "%s/%s: no support for several statements as one database transaction: %s"
                .formatted(folder, plan.statements().get(0).place(), lacking));
      }
    }
    List<Statement> schema = make ? plans.schema() : List.of();
    List<TableRows> made = parameters.existing() ? List.of() : tables.all();
    for (Problem problem : admin.check(schema, made, all, types(), make ? rehearsals : List.of())) {
      lines.add(folder + "/" + problem);
    }
    return lines.stream().distinct().toList();
  }

  /**
   * Whether the run uses the statement: checks and queries always; transactions only if the mix has
   * them.
   */
  private boolean matters(Plan plan, SystemPlans of) {
    return used.contains(plan.transaction())
        || of.transactions().values().stream().noneMatch(variants -> variants.contains(plan));
  }

  private Map<String, ValueType> types() {
    Map<String, ValueType> types = new HashMap<>();
    FolderChecks.CallCount.names(plans.transactions().keySet())
        .forEach(name -> types.put(name, ValueType.INTEGER));
    parameters.byName().forEach((name, parameter) -> types.put(name, parameter.type()));
    parameters.entity().ifPresent(entity -> types.putAll(entity.types()));
    return types;
  }

  private static void refuse(List<String> lines) {
    if (!lines.isEmpty()) {
      throw ConfigException.of(lines.stream().map(line -> new ConfigException("", line)).toList());
    }
  }
}
