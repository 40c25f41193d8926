package io.shardload.driver.mongodb.statements;

import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.driver.mongodb.statements.command.Template;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Looks at the statements of a folder: first what needs no server, with a sample value for each
 * parameter, then what the server says of them.
 *
 * <p>A server that has {@code explain} for reads and writes is asked for the plan of each command,
 * which it parses for it. Inserts, and all commands where the server has no such explain (FerretDB
 * 1), are run with sample values in the scratch database, on one row per table. On existing
 * collections nothing is run.
 */
record StatementCheck(
    Connections connections,
    ServerKind kind,
    Map<String, ValueType> types,
    Clock clock,
    List<Problem> problems) {
  private static final Map<String, Set<String>> ROWS =
      Map.of("count", Set.of("n"), "distinct", Set.of("value"));

  private static final Place DATA = new Place("workload.yml", 1);

  /** Returns all problems. */
  List<Problem> check(
      List<Statement> schema, List<TableRows> tables, List<Plan> plans, List<Rehearsal> rehearsals)
      throws CallFailure {
    Set<String> collections = collections(schema);
    if (!schema.isEmpty()) {
      tables(schema, collections, tables);
    }
    plans.forEach(plan -> shape(plan, collections));
    if (kind.firstFerretdb()) {
      decimals(tables, plans);
    }
    if (!problems.isEmpty()) {
      return problems;
    }
    ServerCheck server = new ServerCheck(connections, kind, clock, problems);
    if (schema.isEmpty()) {
      server.existing(sampled(plans));
    } else {
      server.scratch(schema, tables, sampled(plans), rehearsals);
    }
    return problems;
  }

  private Set<String> collections(List<Statement> schema) {
    return schema.isEmpty()
        ? connections.administrative().listCollectionNames().into(new TreeSet<>())
        : schema.stream()
            .map(statement -> ((CommandStatement) statement).collection())
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private void tables(List<Statement> schema, Set<String> made, List<TableRows> tables) {
    Set<String> named =
        tables.stream().map(TableRows::table).collect(Collectors.toCollection(TreeSet::new));
    for (Statement statement : schema) {
      String name = ((CommandStatement) statement).collection();
      add(
          !named.contains(name),
          statement.place(),
          "creates collection \"" + name + "\", which workload.data.tables does not name");
    }
    Place file = new Place(schema.get(0).place().file(), 1);
    for (String name : named) {
      add(
          !made.contains(name),
          file,
          "does not create collection \"" + name + "\", which workload.data.tables names");
    }
  }

  private void decimals(List<TableRows> tables, List<Plan> plans) {
    String lacking =
        " is decimal, which " + kind.title() + " does not store; use integer, such as cents";
    for (TableRows table : tables) {
      for (int i = 0; i < table.columns().size(); i++) {
        add(
            table.types().get(i) == ValueType.DECIMAL,
            DATA,
            "collection " + table.table() + ": column " + table.columns().get(i) + lacking);
      }
    }
    for (Plan plan : plans) {
      for (Statement statement : plan.statements()) {
        for (String name : new TreeSet<>(statement.names())) {
          boolean decimal = types.get(name) == ValueType.DECIMAL;
          add(decimal, statement.place(), "parameter " + name + lacking);
        }
      }
    }
  }

  /** What the client would refuse, what is not there, and what no answer can hold. */
  private void shape(Plan plan, Set<String> collections) {
    Transactions.refusal(plan.isolation(), connections.settings().readConcern())
        .ifPresent(text -> add(true, plan.statements().get(0).place(), text));
    for (int i = 0; i < plan.statements().size(); i++) {
      CommandStatement statement = (CommandStatement) plan.statements().get(i);
      columns(statement, plan.steps().get(i));
      call(plan, statement);
      String name = statement.collection();
      add(
          !collections.contains(name),
          statement.place(),
          ConfigException.unknown("", "collection", name, collections).getMessage());
    }
  }

  private void call(Plan plan, CommandStatement statement) {
    MongoDatabase database = connections.administrative();
    try {
      Operation operation =
          Operation.compile(statement, plan.slots(), database, Operation.Limits.NONE);
      // What is captured may be of any type, which the sample need not be.
      if (!usesCaptured(plan, statement)) {
        var unused = operation.binding().bind(null, samples(plan));
      }
    } catch (IllegalArgumentException e) {
      add(true, statement.place(), e.getMessage());
    }
  }

  private void columns(CommandStatement statement, Step step) {
    String verb = statement.verb();
    Set<String> known = ROWS.getOrDefault(verb, Set.copyOf(step.wanted()));
    boolean rowless = Set.of("insert", "update", "delete").contains(verb);
    for (String column : step.wanted()) {
      add(
          rowless,
          statement.place(),
          verb + " returns no documents, so it has no field \"" + column + "\"");
      add(
          !known.contains(column),
          statement.place(),
          verb + ": " + ConfigException.unknown("", "field", column, known).getMessage());
    }
  }

  private static boolean usesCaptured(Plan plan, Statement statement) {
    Set<String> captured = new HashSet<>();
    plan.steps().forEach(step -> captured.addAll(step.capture().keySet()));
    return statement.names().stream().anyMatch(captured::contains);
  }

  private BsonValue[] samples(Plan plan) {
    Map<String, Integer> slots = plan.slots();
    BsonValue[] samples = new BsonValue[slots.size()];
    slots.forEach(
        (name, slot) ->
            samples[slot] = Values.sample(types.getOrDefault(name, ValueType.CAPTURED)));
    return samples;
  }

  /** Each statement once, with sample values; those that use what is captured are left out. */
  private List<ServerCheck.Sampled> sampled(List<Plan> plans) {
    Map<Statement, ServerCheck.Sampled> all = new LinkedHashMap<>();
    for (Plan plan : plans) {
      for (Statement statement : plan.statements()) {
        if (!usesCaptured(plan, statement)) {
          CommandStatement command = (CommandStatement) statement;
          BsonDocument bound = Template.of(command.command(), plan.slots()).document(samples(plan));
          all.put(statement, new ServerCheck.Sampled(command, bound));
        }
      }
    }
    return List.copyOf(all.values());
  }

  private void add(boolean wrong, Place place, String text) {
    if (wrong) {
      problems.add(new Problem(place, text));
    }
  }
}
