package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.calls.Choice;
import io.shardload.workload.statements.calls.Effect;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds where a transaction does not do to the entity what it declares, without a server.
 *
 * @param entity null if the folder has none
 */
record EntityCheck(Parameters parameters, Entity entity) {
  EntityCheck(Parameters parameters) {
    this(parameters, parameters.entity().orElse(null));
  }

  /** What statements may name, as {@code posts.title}. */
  Set<String> names() {
    return entity == null ? Set.of() : new TreeSet<>(entity.parts());
  }

  /** What statements name the key of the row; empty if there is no entity. */
  String key() {
    return entity == null ? "" : entity.name() + "." + entity.keyColumn();
  }

  /** The problems of one variant of a transaction. */
  List<ConfigException> of(
      Definitions.Transaction definition, List<Statement> statements, List<Step> steps) {
    List<ConfigException> problems = new ArrayList<>();
    Set<String> named =
        parameters.withNeeded(
            statements.stream()
                .flatMap(one -> one.names().stream())
                .filter(parameters.byName()::containsKey)
                .toList());
    if (definition.effect() == null) {
      withoutEffect(definition, named, problems);
    } else if (entity == null) {
      problem(definition, "needs a table with the key entity in workload.data.tables", problems);
    } else if (definition.effect() == Effect.READ) {
      read(definition, statements, steps, problems);
    } else {
      write(definition, statements, steps, named, problems);
    }
    return problems;
  }

  private void withoutEffect(
      Definitions.Transaction definition, Set<String> named, List<ConfigException> problems) {
    named.stream()
        .filter(name -> entity != null && isOfEntity(name))
        .sorted()
        .findFirst()
        .ifPresent(
            name ->
                problem(
                    definition,
                    "is missing: a statement uses :%s, a column of the row that the call works on"
                        .formatted(name),
                    problems));
  }

  private boolean isOfEntity(String name) {
    return entity.parts().stream().anyMatch(part -> (name + ".").startsWith(part + "."));
  }

  private void read(
      Definitions.Transaction definition,
      List<Statement> statements,
      List<Step> steps,
      List<ConfigException> problems) {
    if (statements.size() > 1 || statements.get(0).writes()) {
      problem(definition, "is read, so the transaction must be one statement that reads", problems);
    }
    choice(definition.choice(), problems);
    for (String column : steps.get(0).answer()) {
      if (!entity.table().columns().contains(column)) {
        problems.add(
            ConfigException.unknown(
                definition.path() + ".answer", "column", column, entity.table().columns()));
      }
    }
  }

  private void choice(Choice choice, List<ConfigException> problems) {
    if (choice == null) {
      return;
    }
    List<String> columns = entity.table().columns();
    if (!columns.contains(choice.least())) {
      problems.add(
          ConfigException.unknown(choice.path() + ".least", "column", choice.least(), columns));
    }
    if (entity.groups(choice.within()).isEmpty()) {
      problems.add(
          new ConfigException(
              choice.path() + ".within", "must name a reference with distribution: in-turn"));
    }
  }

  private void write(
      Definitions.Transaction definition,
      List<Statement> statements,
      List<Step> steps,
      Set<String> named,
      List<ConfigException> problems) {
    if (statements.stream().noneMatch(Statement::writes)) {
      problem(definition, "is a write, but no statement writes", problems);
    }
    boolean changesRow = false;
    for (int i = 0; i < steps.size(); i++) {
      changesRow |= statements.get(i).writes() && steps.get(i).fewest() > 0;
    }
    if (!changesRow) {
      problem(definition, "is a write, so a step that writes must have 'rows: one'", problems);
    }
    uses(definition, key(), "so it cannot find the row", named, problems);
    if (definition.effect() == Effect.UPDATE && entity.edition() < 0) {
      problem(
          definition,
          "is update, but table %s has no column of type edition".formatted(entity.table().table()),
          problems);
    } else if (definition.effect() != Effect.DELETE && entity.edition() >= 0) {
      String edition = entity.table().columns().get(entity.edition());
      uses(
          definition,
          entity.name() + "." + edition,
          "so the row has not the edition that it must have",
          named,
          problems);
    }
  }

  private void uses(
      Definitions.Transaction definition,
      String name,
      String so,
      Set<String> named,
      List<ConfigException> problems) {
    if (!named.contains(name)) {
      problem(
          definition,
          "is %s, but no statement uses :%s, %s".formatted(definition.effect().label(), name, so),
          problems);
    }
  }

  private static void problem(
      Definitions.Transaction definition, String text, List<ConfigException> problems) {
    problems.add(new ConfigException(definition.path() + ".entity", text));
  }
}
