package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.calls.Effect;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds where statements, parameters and {@code workload.yml} are inconsistent, without a server.
 */
public final class CrossCheck {
  private static final List<String> KINDS =
      List.of(SystemPlans.TRANSACTIONS, SystemPlans.CHECKS, SystemPlans.QUERIES);

  /** Of one statement in a call: each is a round trip. */
  private static final int MOST_REPETITIONS = 32;

  private static final Pattern CONFLICT =
      Pattern.compile("\\bon\\s+conflict\\b", Pattern.CASE_INSENSITIVE);

  private final Folder folder;
  private final Definitions definitions;
  private final Parameters parameters;
  private final EntityCheck entity;
  private final Set<String> used;

  /** By its line, because one file may serve several systems. */
  private final Map<String, ConfigException> problems = new LinkedHashMap<>();

  private CrossCheck(
      Folder folder, Definitions definitions, Parameters parameters, Set<String> used) {
    this.folder = folder;
    this.definitions = definitions;
    this.parameters = parameters;
    this.entity = new EntityCheck(parameters);
    this.used = new HashSet<>(used);
  }

  /**
   * Checks the statements of these systems.
   *
   * @param used options that are used elsewhere
   * @throws ConfigException all problems
   */
  public static void run(
      Folder folder,
      Definitions definitions,
      Parameters parameters,
      Set<String> used,
      Collection<String> systems) {
    CrossCheck check = new CrossCheck(folder, definitions, parameters, used);
    if (folder.names(SystemPlans.TRANSACTIONS).isEmpty()) {
      check.problem("workload.folder", "the folder has no transactions");
    }
    for (String system : systems) {
      check.transactions(system);
      check.checks(system);
      check.queries(system);
      KINDS.forEach(kind -> check.replacements(kind, system));
    }
    check.unused();
    if (!check.problems.isEmpty()) {
      throw ConfigException.of(List.copyOf(check.problems.values()));
    }
  }

  private void replacements(String kind, String system) {
    for (String name : folder.names(kind)) {
      List<String> replacing = folder.replacing(kind, name, system);
      if (replacing.size() > 1) {
        problem(
            "",
            "%s/%s/%s/: %s hold together, but only one of them can replace the statements"
                .formatted(folder.name(), kind, name, String.join(" and ", replacing)));
      }
    }
  }

  private void transactions(String system) {
    for (String name : folder.names(SystemPlans.TRANSACTIONS)) {
      Definitions.Transaction definition = definitions.of(name, system);
      for (List<Statement> statements :
          folder.variants(SystemPlans.TRANSACTIONS, name, system).orElse(List.of())) {
        List<Step> steps = definition.steps(statements.size());
        if (steps == null) {
          stepsDoNotFit(definition, statements);
          continue;
        }
        boolean isRepeated = steps.stream().anyMatch(step -> !step.each().isEmpty());
        if ((statements.size() > 1 || isRepeated)
            && !definition.isolation().atomic()
            && !definition.severalCommits()) {
          problem(
              definition.path() + ".isolation",
              "is missing: %s has %s; set isolation, or set 'atomic: false' to commit each statement separately"
                  .formatted(
                      statements.get(0).place().file(),
                      isRepeated
                          ? "a statement that is repeated"
                          : statements.size() + " statements"));
        }
        entity.of(definition, statements, steps).forEach(this::problem);
        guards(definition, statements, steps);
        for (int i = 0; i < steps.size(); i++) {
          each(definition, i, statements.get(i), steps.get(i));
        }
        repeated(definition, statements);
        names(definition, statements, steps);
      }
    }
  }

  /** A statement that is repeated uses the elements of one list, and others use none. */
  private void each(Definitions.Transaction definition, int index, Statement statement, Step step) {
    String path = definition.path() + (definition.listed() ? ".steps." + index : "") + ".each";
    boolean uses = false;
    for (String name : statement.names()) {
      if (parameters.byName().get(name) instanceof Parameter.Repeated one) {
        uses = true;
        if (!one.list().equals(step.each())) {
          problem(
              path,
              "must be %s: %s uses :%s, which each element of it has"
                  .formatted(one.list(), statement.place(), name));
        } else if (one.most() > MOST_REPETITIONS) {
          problem(
              path,
              "may be a list of at most %d, but %s has up to %d"
                  .formatted(MOST_REPETITIONS, one.list(), one.most()));
        } else if (index == 0 && one.least() == 0 && definition.isolation().atomic()) {
          problem(
              path,
              "cannot be in the first step, because %s may be empty: nothing would begin the"
                      .formatted(one.list())
                  + " database transaction");
        }
      }
    }
    if (!step.each().isEmpty() && !uses) {
      problem(
          path,
          "is %s, but %s uses no :%s.FIELD; it is a child table of the table with entity, or a list"
                  .formatted(step.each(), statement.place(), step.each())
              + " of objects with the key sorted");
    }
    if (!step.each().isEmpty() && !step.capture().isEmpty()) {
      problem(path, "cannot be set together with capture");
    }
  }

  /** A refusal must be certain to leave no effect. */
  private void guards(
      Definitions.Transaction definition, List<Statement> statements, List<Step> steps) {
    boolean wrote = false;
    for (int i = 0; i < steps.size(); i++) {
      Statement statement = statements.get(i);
      if (steps.get(i).refuses() && !definition.isolation().atomic()) {
        String why =
            wrote
                ? "a statement before it writes, and without isolation nothing takes this back"
                : statement.writes() && steps.get(i).allows(0)
                    ? "without isolation only a write of 0 rows is certain to have no effect, and rows allows 0"
                    : writesElsewhere(statement)
                        ? "a CTE that writes, or an upsert, takes effect with 0 rows"
                        : "";
        if (!why.isEmpty()) {
          problem(
              definition.path() + (definition.listed() ? ".steps." + i : "") + ".otherwise",
              "cannot be refuse for %s: %s".formatted(statement.place(), why));
        }
      }
      wrote |= statement.writes();
    }
  }

  private static boolean writesElsewhere(Statement statement) {
    return statement instanceof CommandStatement command
        ? command.command().toString().contains("\"upsert\"")
        : statement.writes()
            && ((SqlStatement) statement).pieces().get(0).strip().matches("(?is)with\\b.*");
  }

  /** A repetition must fail with a duplicate key if the call has taken effect already. */
  private void repeated(Definitions.Transaction definition, List<Statement> statements) {
    if (!definition.repeats().unknown()) {
      return;
    }
    Statement first =
        statements.stream().filter(Statement::writes).findFirst().orElse(statements.get(0));
    boolean fresh =
        first.names().stream()
            .anyMatch(
                name ->
                    (definition.effect() == Effect.INSERT && name.equals(entity.key()))
                        || (parameters.byName().containsKey(name)
                            && parameters.byName().get(name).takesFresh()));
    boolean inserts =
        first instanceof SqlStatement sql
            ? sql.verb().equals("insert")
                && !CONFLICT.matcher(String.join("?", sql.pieces())).find()
            : ((CommandStatement) first).verb().equals("insert");
    if (!fresh || !inserts || (statements.size() > 1 && !definition.isolation().atomic())) {
      problem(
          definition.path() + ".unknown",
          "cannot be repeat: in one database transaction, the first statement that writes must insert a sequential parameter or the key of an entity, without ON CONFLICT; %s does not"
              .formatted(first.place()));
    }
  }

  private void stepsDoNotFit(Definitions.Transaction definition, List<Statement> statements) {
    String file = statements.get(0).place().file();
    if (definition.listed()) {
      problem(
          definition.path() + ".steps",
          "the number of steps is %d, but the number of statements in %s is %d"
              .formatted(definition.steps().size(), file, statements.size()));
    } else {
      problem(
          definition.path(),
          "describes the result of one statement, but %s has %d statements: add a list of steps"
              .formatted(file, statements.size()));
    }
  }

  private void names(
      Definitions.Transaction definition, List<Statement> statements, List<Step> steps) {
    Map<String, Integer> captured = new HashMap<>();
    Set<String> usedCaptures = new HashSet<>();
    for (int i = 0; i < statements.size(); i++) {
      for (String name : statements.get(i).names()) {
        if (captured.containsKey(name)) {
          usedCaptures.add(name);
        } else if (parameters.byName().containsKey(name)) {
          used.addAll(parameters.withNeeded(List.of(name)));
        } else {
          unknown(statements.get(i), name, captured.keySet());
        }
      }
      String path = definition.path() + (definition.listed() ? ".steps." + i : "");
      for (Step.Condition one : steps.get(i).conditions()) {
        if (!one.relation().isOfParameter()) {
          continue;
        }
        if (parameters.byName().containsKey(one.parameter())) {
          used.addAll(parameters.withNeeded(List.of(one.parameter())));
        } else {
          problem(
              ConfigException.unknown(
                  path + "." + one.relation().label() + "." + one.column(),
                  "parameter",
                  one.parameter(),
                  new TreeSet<>(parameters.byName().keySet())));
        }
      }
      for (String name : steps.get(i).capture().keySet()) {
        capture(path, name, captured, i);
      }
    }
    captured.forEach(
        (name, step) -> {
          if (!usedCaptures.contains(name)) {
            String path = definition.path() + (definition.listed() ? ".steps." + step : "");
            problem(path + ".capture." + name, "is not used by any later statement");
          }
        });
  }

  private void capture(String path, String name, Map<String, Integer> captured, int step) {
    if (parameters.byName().containsKey(name)) {
      problem(path + ".capture." + name, "is the name of a parameter");
    } else if (captured.putIfAbsent(name, step) != null) {
      problem(path + ".capture." + name, "is captured twice");
    }
  }

  private void unknown(Statement statement, String name, Collection<String> captured) {
    if (FolderChecks.CallCount.parse(name, folder.names(SystemPlans.TRANSACTIONS)).isPresent()) {
      problem(statement.place(name), "parameter \"" + name + "\" is allowed only in checks");
      return;
    }
    Set<String> known = new TreeSet<>(parameters.byName().keySet());
    known.addAll(captured);
    known.addAll(entity.names());
    problem(
        statement.place(name), ConfigException.unknown("", "parameter", name, known).getMessage());
  }

  private void checks(String system) {
    for (String name : folder.names(SystemPlans.CHECKS)) {
      List<List<Statement>> variants =
          folder.variants(SystemPlans.CHECKS, name, system).orElse(List.of());
      if (variants.isEmpty()) {
        continue;
      }
      Statement first = variants.get(0).get(0);
      if (variants.size() > 1 || variants.get(0).size() > 2) {
        problem(first, "a check must be one statement, or two statements with equal results");
      }
      List<String> known =
          new ArrayList<>(FolderChecks.CallCount.names(folder.names(SystemPlans.TRANSACTIONS)));
      parameters.tables().forEach(table -> known.add(FolderChecks.loaded(table.table())));
      parameters.omitted().forEach(table -> known.add(FolderChecks.loaded(table)));
      known.addAll(folder.switches().byName().keySet());
      for (Statement statement : variants.get(0)) {
        if (statement.writes()) {
          problem(statement, "a check must not write");
        }
        used.addAll(statement.names());
        for (String parameter : statement.names()) {
          if (!known.contains(parameter)) {
            problem(
                statement.place(parameter),
                ConfigException.unknown("", "count of calls", parameter, known).getMessage());
          }
        }
      }
    }
  }

  private void queries(String system) {
    for (String name : folder.names(SystemPlans.QUERIES)) {
      List<List<Statement>> variants =
          folder.variants(SystemPlans.QUERIES, name, system).orElse(List.of());
      if (variants.isEmpty()) {
        continue;
      }
      Statement first = variants.get(0).get(0);
      if (!parameters.queries().containsKey(name)) {
        problem(
            first,
            ConfigException.unknown(
                    "",
                    "parameter that asks a query",
                    name,
                    new TreeSet<>(parameters.queries().keySet()))
                .getMessage());
      }
      if (variants.size() > 1 || variants.get(0).size() > 1 || first.writes()) {
        problem(first, "a query for values must be one statement that does not write");
      }
      if (!first.names().isEmpty()) {
        problem(first, "a query for values must not have parameters");
      }
    }
  }

  private void unused() {
    Set<String> unused = new TreeSet<>(parameters.byName().keySet());
    unused.removeAll(used);
    unused.removeAll(folder.switched(""));
    if (!unused.isEmpty()) {
      unused.removeAll(usedElsewhere());
    }
    Set<String> options = folder.switches().byName().keySet();
    for (String name : unused) {
      if (options.contains(name)) {
        problem("workload.options." + name, "nothing uses the option");
      } else {
        problem("workload.parameters." + name, "is not used by any statement");
      }
    }
    for (String name : new TreeSet<>(parameters.queries().keySet())) {
      if (!folder.names(SystemPlans.QUERIES).contains(name)) {
        problem("workload.parameters." + name, "has no statement in queries/" + name);
      }
    }
  }

  /** Names in the statements of other systems. */
  private Set<String> usedElsewhere() {
    Set<String> names = new HashSet<>();
    try {
      Folder whole = Folder.read(folder.path(), List.of(), folder.switches());
      names.addAll(whole.switched(""));
      whole.all().values().forEach(all -> all.forEach(one -> names.addAll(one.names())));
    } catch (ConfigException e) {
      // Problems in other systems' files do not matter here; they may use a parameter.
      names.addAll(parameters.byName().keySet());
    }
    return names;
  }

  private void problem(Statement statement, String text) {
    problem(statement.place(), text);
  }

  private void problem(Place place, String text) {
    problem("", "%s/%s: %s".formatted(folder.name(), place, text));
  }

  private void problem(String key, String text) {
    problem(new ConfigException(key, text));
  }

  private void problem(ConfigException problem) {
    problems.putIfAbsent(problem.key() + problem.getMessage(), problem);
  }
}
