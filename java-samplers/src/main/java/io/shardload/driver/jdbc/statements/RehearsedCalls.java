package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Executes calls in tables that a check has made, within its transaction. */
record RehearsedCalls(
    Dialect dialect, Outcomes outcomes, Connection connection, Statement statement) {
  List<Problem> problems(List<Rehearsal> rehearsals) throws SQLException, CallFailure {
    List<Problem> problems = new ArrayList<>();
    for (Rehearsal one : rehearsals) {
      Savepoint before = connection.setSavepoint();
      String problem;
      try {
        problem = run(one);
      } catch (SQLException e) {
        CallFailure failure = outcomes.statement(e);
        if (!failure.effectExcluded()) {
          throw failure;
        }
        problem = "the server refuses a call: " + failure.getMessage();
      } catch (CallFailure e) {
        problem = e.getMessage();
      }
      if (!problem.isEmpty()) {
        problems.add(one.problem(problem));
      }
      connection.rollback(before);
    }
    return problems;
  }

  private String run(Rehearsal rehearsal) throws SQLException, CallFailure {
    for (Rehearsal.Before before : rehearsal.tables()) {
      ServerTable table = table(before);
      dialect.dropReferences(statement, table);
      for (long row = before.from(); row < before.end(); row++) {
        insert(table, before.whole().columns(), before.whole().row(row));
      }
    }
    Program program = Program.of(dialect, connection, rehearsal.plan(), rehearsal.arguments());
    rehearsal.answers().begin();
    Execution.Setting setting = new Execution.Setting(dialect, outcomes, 0, 0);
    new Execution(setting, program, rehearsal.arguments(), rehearsal.answers(), Phases.NONE)
        .run(connection);
    for (Rehearsal.Before before : rehearsal.tables()) {
      SqlStatement all = Question.rows(table(before), before.table().columns(), "", -1);
      new Question(dialect, connection, all).readWithin(new Object[0], before.after());
    }
    return rehearsal.problem().get();
  }

  private ServerTable table(Rehearsal.Before before) throws SQLException {
    return dialect.find(connection, before.table().table()).orElseThrow();
  }

  private void insert(ServerTable table, List<String> columns, Object[] values)
      throws SQLException {
    List<String> pieces = new ArrayList<>(Collections.nCopies(values.length + 1, ", "));
    pieces.set(
        0, "INSERT INTO %s (%s) VALUES (".formatted(table.sqlName(), table.sqlNames(columns)));
    pieces.set(values.length, ")");
    List<String> names = IntStream.range(0, values.length).mapToObj(Integer::toString).toList();
    Place place = new Place(table.sqlName(), 1);
    SqlStatement insert = new SqlStatement(place, pieces, names, "insert", true);
    Described described = dialect.describe(connection, insert, values);
    try (PreparedStatement prepared = connection.prepareStatement(described.jdbc())) {
      described.set(prepared, values);
      prepared.execute();
    }
  }
}
