package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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
      new RowInserts(table, before.whole()).each(connection, before.from(), before.end());
    }
    Program program = Program.of(dialect, connection, rehearsal.plan(), rehearsal.arguments());
    rehearsal.answers().begin();
    Execution.Setting setting = new Execution.Setting(dialect, outcomes, 0, 0);
    new Execution(setting, program, rehearsal.arguments(), rehearsal.answers(), Phases.NONE)
        .run(connection);
    for (Rehearsal.Before before : rehearsal.tables()) {
      SqlStatement all = Question.rows(table(before), before.table().columns(), "", -1);
      new Question(dialect, connection, all, List.of()).readWithin(new Object[0], before.after());
    }
    return rehearsal.problem().get();
  }

  private ServerTable table(Rehearsal.Before before) throws SQLException {
    return dialect.find(connection, before.table().table()).orElseThrow();
  }
}
