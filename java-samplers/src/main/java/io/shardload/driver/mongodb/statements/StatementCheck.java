package io.shardload.driver.mongodb.statements;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoServerException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaCollection;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.driver.mongodb.store.ScratchPlace;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
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

  private static final String SUFFIX = "_shardload_check";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Set<String> FILTERS = Set.of("filter", "query", "q", "$match");
  private static final Set<String> LISTS = Set.of("updates", "deletes", "pipeline");
  private static final Set<String> COMBINED = Set.of("$and", "$or", "$nor");

  /** Code, which may fail where another condition does not protect it. */
  private static final Set<String> CODE = Set.of("$expr", "$where");

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
    if (schema.isEmpty()) {
      look(connections, List.of(), sampled(plans));
    } else {
      scratch(schema, tables, sampled(plans), rehearsals);
    }
    return problems;
  }

  private Set<String> collections(List<Statement> schema) {
    return schema.isEmpty()
        ? connections.administrative().listCollectionNames().into(new TreeSet<>())
        : schema.stream()
            .map(StatementCheck::collection)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String collection(Statement statement) {
    return ((CommandStatement) statement).collection();
  }

  private void tables(List<Statement> schema, Set<String> made, List<TableRows> tables) {
    Set<String> named =
        tables.stream().map(TableRows::table).collect(Collectors.toCollection(TreeSet::new));
    for (Statement statement : schema) {
      String name = collection(statement);
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
    MongodbStatementStore.refusal(plan.isolation(), connections.settings().readConcern())
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
        BsonValue[] values = Program.values(plan, samples(plan), plan.slots().size());
        var unused = operation.binding().bind(null, values);
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
    return plan.steps().stream()
        .anyMatch(step -> statement.names().stream().anyMatch(step.capture()::containsKey));
  }

  private Object[] samples(Plan plan) {
    return plan.arguments().stream()
        .map(name -> Values.sample(types.getOrDefault(name, ValueType.CAPTURED)))
        .toArray();
  }

  /** Each statement once, with sample values; those that use what is captured are left out. */
  private List<Sampled> sampled(List<Plan> plans) {
    Map<Statement, Sampled> all = new LinkedHashMap<>();
    for (Plan plan : plans) {
      for (Statement statement : plan.statements()) {
        if (!usesCaptured(plan, statement)) {
          CommandStatement command = (CommandStatement) statement;
          BsonDocument bound = Program.bound(plan, command, samples(plan));
          all.put(statement, new Sampled(command, bound));
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

  /** A command with some value for each of its parameters. */
  private record Sampled(CommandStatement statement, BsonDocument command) {}

  /**
   * In the scratch database, which is dropped again.
   *
   * @throws ConfigException another process uses it, or it holds objects that shardload did not
   *     create
   */
  private void scratch(
      List<Statement> schema,
      List<TableRows> tables,
      List<Sampled> commands,
      List<Rehearsal> rehearsals)
      throws CallFailure {
    Set<String> makes = collections(schema);
    try (ScratchPlace place = ScratchPlace.make(connections, SUFFIX, makes, clock)) {
      Connections scratch = place.connections();
      make(scratch, schema, tables);
      if (problems.isEmpty()) {
        look(scratch, tables, commands);
      }
      for (Rehearsal one : problems.isEmpty() ? rehearsals : List.<Rehearsal>of()) {
        rehearse(scratch, one);
      }
    }
  }

  private void make(Connections scratch, List<Statement> schema, List<TableRows> tables)
      throws CallFailure {
    for (int i = 0; i < schema.size(); i++) {
      List<Statement> soFar = schema.subList(0, i + 1);
      refused(schema.get(i), () -> make(scratch, soFar));
    }
    if (!problems.isEmpty()) {
      return;
    }
    for (TableRows table : tables) {
      Statement makes =
          schema.stream()
              .filter(one -> collection(one).equals(table.table()))
              .findFirst()
              .orElseThrow();
      refused(makes, () -> fill(scratch.administrative(), table, 0, 1));
    }
  }

  /** Makes the collection of the last statement, with what the others say of it. */
  private void make(Connections scratch, List<Statement> statements) throws CallFailure {
    String name = collection(statements.get(statements.size() - 1));
    List<BsonDocument> entries = MongodbStatementAdmin.entries(statements);
    List<Schema> made =
        SchemaCollection.read(entries, kind, List.of()).stream()
            .filter(one -> one.collection().equals(name))
            .map(SchemaCollection::inOnePiece)
            .map(one -> new Schema(scratch.unlimited(one.collection()), one, PATIENCE, clock))
            .toList();
    Schema.create(made, Making.UNRECORDED, Progress.UNHEARD);
  }

  /** Runs commands only in the tables that are given: those of the scratch database. */
  private void look(Connections where, List<TableRows> tables, List<Sampled> commands)
      throws CallFailure {
    StatementEvidence evidence = new StatementEvidence(where, kind);
    for (Sampled command : commands) {
      boolean unexplained = command.statement.verb().equals("insert") || !kind.complete();
      refused(
          command.statement,
          unexplained && !tables.isEmpty()
              ? () -> run(where.administrative(), tables, command)
              : () -> evidence.look(command.statement, command.command));
    }
  }

  /** Executes a call on one document. */
  private void rehearse(Connections scratch, Rehearsal one) throws CallFailure {
    for (Rehearsal.Before before : one.tables()) {
      fill(scratch.administrative(), before.whole(), before.from(), before.end());
    }
    String problem;
    try {
      new MongodbStatementStore(scratch, kind)
          .run(one.plan(), one.arguments(), one.answers(), Phases.NONE);
      // A majority may not have yet what one member has acknowledged.
      MongoDatabase after =
          scratch.administrative().withReadConcern(scratch.settings().showingAcknowledged());
      for (Rehearsal.Before before : one.tables()) {
        MongodbStatementAdmin.read(after, before.table(), new BsonDocument(), before.after());
      }
      problem = one.problem().get();
    } catch (CallFailure e) {
      if (!e.effectExcluded() && !e.kind().equals(Answers.WRONG_ROW)) {
        throw e;
      }
      problem = e.getMessage();
    }
    if (!problem.isEmpty()) {
      problems.add(one.problem(problem));
    }
  }

  /** These servers look at a condition when they compare a document with it, and not before. */
  private static void run(MongoDatabase database, List<TableRows> tables, Sampled command) {
    BsonDocument bound = command.command;
    for (TableRows table : tables) {
      // An earlier statement may have deleted or changed its row.
      fill(database, table, 0, 1);
    }
    BsonValue collection = bound.get(bound.getFirstKey());
    for (BsonDocument condition : conditions(bound)) {
      run(database, new BsonDocument("find", collection).append("filter", condition));
    }
    run(database, StatementEvidence.whole(command.statement, bound));
  }

  /**
   * Each condition of a command as a filter of its own. A server may end the comparison of a
   * document at the first condition that is not met, and then it has not looked at the others.
   */
  private static List<BsonDocument> conditions(BsonDocument command) {
    List<BsonDocument> all = new ArrayList<>();
    command.forEach(
        (key, value) -> {
          if (FILTERS.contains(key) && value.isDocument()) {
            conditions(value.asDocument(), all);
          } else if (LISTS.contains(key) && value.isArray()) {
            documents(value.asArray()).forEach(part -> all.addAll(conditions(part)));
          }
        });
    return all;
  }

  private static void conditions(BsonDocument filter, List<BsonDocument> all) {
    filter.forEach(
        (key, value) -> {
          if (COMBINED.contains(key) && value.isArray()) {
            documents(value.asArray()).forEach(part -> conditions(part, all));
          } else if (!CODE.contains(key)) {
            all.add(new BsonDocument(key, value));
          }
        });
  }

  private static List<BsonDocument> documents(BsonArray array) {
    return array.stream().filter(BsonValue::isDocument).map(BsonValue::asDocument).toList();
  }

  /** Has a collection hold these rows only. */
  private static void fill(MongoDatabase database, TableRows table, long from, long end) {
    MongoCollection<BsonDocument> rows = database.getCollection(table.table(), BsonDocument.class);
    rows.deleteMany(new BsonDocument());
    for (long row = from; row < end; row++) {
      rows.insertOne(RowInserts.document(table, row));
    }
  }

  /** Without the client's typed API, which cannot read how FerretDB 1 refuses an update. */
  private static void run(MongoDatabase database, BsonDocument bound) {
    BsonDocument reply = database.runCommand(bound, BsonDocument.class);
    for (BsonValue error : reply.getArray("writeErrors", new BsonArray())) {
      BsonDocument refusal = error.asDocument().clone().append("ok", new BsonInt32(0));
      throw new MongoCommandException(refusal, new ServerAddress());
    }
  }

  /** A refusal of the server is a problem; everything else ends the check. */
  private void refused(Statement statement, Failures.Action look) throws CallFailure {
    try {
      look.run();
    } catch (MongoServerException e) {
      // Sample values may well be there already.
      if (ErrorCategory.fromErrorCode(Failures.code(e)) != ErrorCategory.DUPLICATE_KEY) {
        String refusal = "the server refuses the statement: " + Failures.firstLine(e);
        problems.add(new Problem(statement.place(), refusal));
      }
    } catch (IllegalArgumentException e) {
      // A row holds what BSON cannot, such as a decimal of more than 34 digits.
      problems.add(new Problem(statement.place(), Failures.firstLine(e)));
    }
  }
}
