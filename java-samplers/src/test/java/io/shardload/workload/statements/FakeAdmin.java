package io.shardload.workload.statements;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Answers questions only as it was told, and notes what it is asked to do. */
public final class FakeAdmin implements StatementAdmin {
  int refusedVariant = -1;
  String refusedQuestion = "";
  public final List<String> done = new ArrayList<>();
  public final Map<String, Long> rows = new HashMap<>();
  public final Map<String, Answer> answers = new HashMap<>();
  public final List<Problem> problems = new ArrayList<>();
  public String lacksTransactions = "";
  public boolean refusesCopies;

  /** Rows of which the last ones are written, but never answered; no more than once. */
  long unanswered = Long.MAX_VALUE;

  /** Rows of two columns, as many as values come in pairs. */
  public static Answer answer(Object... pairs) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("a", pairs[i]);
      row.put("b", pairs[i + 1]);
      rows.add(row);
    }
    return new Answer(rows, rows.size());
  }

  @Override
  public List<String> present(List<String> tables) {
    return tables.stream().filter(rows::containsKey).toList();
  }

  @Override
  public void createTables(List<Statement> schema, Making making, Progress steps) {
    done.add("drop " + making.drop());
    schema.forEach(statement -> done.add(((SqlStatement) statement).with("?")));
  }

  @Override
  public List<Problem> check(
      List<Statement> schema,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals) {
    return problems;
  }

  @Override
  public boolean refusesCopies(TableRows table) {
    return refusesCopies;
  }

  @Override
  public void load(TableRows table, long from, long end, boolean isContinued, LongConsumer progress)
      throws CallFailure {
    String how = isContinued ? "go on with" : "load";
    done.add("%s %s %d to %d".formatted(how, table.table(), from, end));
    rows.merge(table.table(), end - from, Long::sum);
    if (rows.get(table.table()) >= unanswered) {
      unanswered = Long.MAX_VALUE;
      throw new CallFailure("timeout", false, true, "no answer");
    }
    progress.accept(end - from);
  }

  @Override
  public void empty(String table) {
    done.add("empty " + table);
    rows.put(table, 0L);
  }

  @Override
  public void read(
      TableRows table,
      String key,
      List<Object> keys,
      io.shardload.workload.statements.port.Answers rows) {
    throw new UnsupportedOperationException("no server");
  }

  @Override
  public long count(String table) {
    return rows.getOrDefault(table, 0L);
  }

  /** By the text of the statement, with what it was asked with. */
  @Override
  public Answer ask(Statement statement, Map<String, Object> arguments, int most)
      throws CallFailure {
    String question = ((SqlStatement) statement).with("?") + arguments;
    if (question.equals(refusedQuestion)) {
      throw new CallFailure("refused", true, false, "no number");
    }
    if (!answers.containsKey(question)) {
      throw new AssertionError("nobody told what answers " + question);
    }
    Answer whole = answers.get(question);
    return new Answer(whole.rows().stream().limit(most).toList(), whole.count());
  }

  @Override
  public String lacksTransactions() {
    return lacksTransactions;
  }

  @Override
  public Map<String, Object> explain(Plan plan, Object[] arguments, Optional<Grouping> grouping)
      throws CallFailure {
    if (plan.variant() == refusedVariant) {
      throw new CallFailure("refused", true, false, "not this one");
    }
    return Map.of("text", plan.statements().get(0).toString());
  }
}
