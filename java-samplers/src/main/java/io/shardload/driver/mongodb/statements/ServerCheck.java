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
import io.shardload.driver.mongodb.store.ScratchPlace;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.TableRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** Has the server check commands, in shardload's scratch database or on existing collections. */
record ServerCheck(Connections connections, ServerKind kind, Clock clock, List<Problem> problems) {
  private static final String SUFFIX = "_shardload_check";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Set<String> FILTERS = Set.of("filter", "query", "q", "$match");
  private static final Set<String> LISTS = Set.of("updates", "deletes", "pipeline");
  private static final Set<String> COMBINED = Set.of("$and", "$or", "$nor");

  /** Code, which may fail where another condition does not protect it. */
  private static final Set<String> CODE = Set.of("$expr", "$where");

  /** A command with some value for each of its parameters. */
  record Sampled(CommandStatement statement, BsonDocument command) {}

  /** On existing collections: nothing is run. */
  void existing(List<Sampled> commands) throws CallFailure {
    StatementEvidence evidence = evidence(connections);
    for (Sampled command : commands) {
      add(command.statement, () -> evidence.look(command.statement, command.command));
    }
  }

  /**
   * In the scratch database, which is dropped again.
   *
   * @throws ConfigException another process uses it, or it holds objects that shardload did not
   *     create
   */
  void scratch(
      List<Statement> schema,
      List<TableRows> tables,
      List<Sampled> commands,
      List<Rehearsal> rehearsals)
      throws CallFailure {
    Set<String> makes =
        schema.stream()
            .map(each -> ((CommandStatement) each).collection())
            .collect(Collectors.toSet());
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
      add(schema.get(i), () -> make(scratch, soFar));
    }
    if (!problems.isEmpty()) {
      return;
    }
    for (TableRows table : tables) {
      Statement makes =
          schema.stream()
              .filter(one -> ((CommandStatement) one).collection().equals(table.table()))
              .findFirst()
              .orElseThrow();
      add(makes, () -> fill(scratch.administrative(), table, 0, 1));
    }
  }

  /** Makes the collection of the last statement, with what the others say of it. */
  private void make(Connections scratch, List<Statement> statements) throws CallFailure {
    String name = ((CommandStatement) statements.get(statements.size() - 1)).collection();
    List<BsonDocument> entries = MongodbStatementAdmin.entries(statements);
    List<Schema> made =
        SchemaCollection.read(entries, kind, List.of()).stream()
            .filter(one -> one.collection().equals(name))
            .map(SchemaCollection::inOnePiece)
            .map(one -> new Schema(scratch.client(), scratch.databaseName(), one, PATIENCE, clock))
            .toList();
    Schema.create(made, Making.UNRECORDED, Progress.UNHEARD);
  }

  private void look(Connections scratch, List<TableRows> tables, List<Sampled> commands)
      throws CallFailure {
    StatementEvidence evidence = evidence(scratch);
    for (Sampled command : commands) {
      boolean runs = command.statement.verb().equals("insert") || !kind.explainsAll();
      add(
          command.statement,
          runs
              ? () -> run(scratch.administrative(), tables, command)
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

  private StatementEvidence evidence(Connections where) {
    return new StatementEvidence(where.client(), where.databaseName(), kind);
  }

  /** A refusal of the server is a problem; everything else ends the check. */
  private void add(Statement statement, Failures.Action look) throws CallFailure {
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
