package io.shardload.workload.statements;

import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The statements of one system, in the form that drivers run.
 *
 * @param schema that creates the tables; empty if there is none
 * @param transactions variants by name; transactions without statements of this system are omitted
 * @param checks one or two statements by name, likewise
 * @param queries one statement by the name of its parameter, likewise
 */
public record SystemPlans(
    String system,
    List<Statement> schema,
    Map<String, List<Plan>> transactions,
    Map<String, List<Statement>> checks,
    Map<String, Statement> queries) {
  public static final String TRANSACTIONS = "transactions";
  public static final String CHECKS = "checks";
  public static final String QUERIES = "queries";

  /** Joins statements and definitions that have passed {@link CrossCheck}. */
  public static SystemPlans of(
      String system, Folder folder, Definitions definitions, Parameters parameters) {
    Map<String, List<Plan>> transactions = new LinkedHashMap<>();
    for (String name : folder.names(TRANSACTIONS)) {
      folder
          .variants(TRANSACTIONS, name, system)
          .ifPresent(
              variants ->
                  transactions.put(
                      name, plans(name, variants, definitions.of(name, system), parameters)));
    }
    Map<String, List<Statement>> checks = new LinkedHashMap<>();
    for (String name : folder.names(CHECKS)) {
      if (definitions.checks().get(name).isOf(system)) {
        folder.variants(CHECKS, name, system).ifPresent(v -> checks.put(name, v.get(0)));
      }
    }
    Map<String, Statement> queries = new LinkedHashMap<>();
    for (String name : folder.names(QUERIES)) {
      folder.variants(QUERIES, name, system).ifPresent(v -> queries.put(name, v.get(0).get(0)));
    }
    return new SystemPlans(system, folder.schema(system), transactions, checks, queries);
  }

  private static List<Plan> plans(
      String name,
      List<List<Statement>> variants,
      Definitions.Transaction definition,
      Parameters parameters) {
    List<Plan> plans = new ArrayList<>();
    for (List<Statement> statements : variants) {
      List<Step> steps = definition.steps(statements.size());
      plans.add(
          new Plan(
              name,
              plans.size(),
              definition.isolation(),
              List.copyOf(parameters.withNeeded(arguments(statements, steps))),
              statements,
              steps,
              definition.repeats()));
    }
    return List.copyOf(plans);
  }

  /**
   * The parameters of all statements, and the parameters that rows are compared with; no captured
   * values.
   */
  static List<String> arguments(List<Statement> statements, List<Step> steps) {
    Set<String> names = new LinkedHashSet<>();
    Set<String> captured = new LinkedHashSet<>();
    for (int i = 0; i < statements.size(); i++) {
      names.addAll(statements.get(i).names());
      names.addAll(steps.get(i).parameters());
      captured.addAll(steps.get(i).capture().keySet());
    }
    names.removeAll(captured);
    return List.copyOf(names);
  }

  /** The same, but drivers pass on what systems are compared by, too. */
  SystemPlans comparing() {
    Map<String, List<Plan>> all = new LinkedHashMap<>();
    transactions.forEach(
        (name, plans) -> all.put(name, plans.stream().map(Plan::comparing).toList()));
    return new SystemPlans(system, schema, all, checks, queries);
  }

  /** A single statement, for a server to check. */
  public static Plan alone(String what, Statement statement) {
    return new Plan(
        what,
        0,
        Isolation.NONE,
        statement.names().stream().distinct().toList(),
        List.of(statement),
        List.of(Step.ANY));
  }

  /** All statements as plans, for a server to check. */
  public List<Plan> all() {
    return Stream.of(
            transactions.values().stream().flatMap(List::stream),
            checks.entrySet().stream()
                .flatMap(one -> one.getValue().stream().map(s -> alone(one.getKey(), s))),
            queries.entrySet().stream().map(one -> alone(one.getKey(), one.getValue())))
        .flatMap(plans -> plans)
        .toList();
  }
}
