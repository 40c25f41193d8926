package io.shardload.driver.mongodb.statements;

import com.mongodb.client.MongoDatabase;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.driver.mongodb.statements.command.Template;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Repetition;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/**
 * A plan, compiled once. The values of a call lie in slots: first its arguments, then what its
 * statements capture. Immutable and thread-safe.
 *
 * @param lastReturning the last statement that returns rows; -1 if none does
 */
record Program(Plan plan, int slots, List<Program.Command> commands, int lastReturning) {
  /**
   * A statement and what is wanted of it.
   *
   * @param wanted paths of {@link Step#wanted}
   * @param captures paths of what later statements find in slots
   */
  @SuppressWarnings("ArrayRecordComponent") // Read on the timed path, never compared or changed.
  record Command(
      Operation operation,
      Step step,
      int[] slots,
      List<List<String>> wanted,
      List<Capture> captures) {
    Command {
      wanted = List.copyOf(wanted);
      captures = List.copyOf(captures);
    }
  }

  /** The value at a path of the first row goes to a slot. */
  record Capture(int slot, List<String> path) {
    Capture {
      path = List.copyOf(path);
    }
  }

  /**
   * Compiles a plan.
   *
   * @throws IllegalArgumentException a statement is not what the client can send
   */
  static Program of(Plan plan, MongoDatabase database, Operation.Limits limits) {
    Map<String, Integer> slots = plan.slots();
    List<Command> commands = new ArrayList<>();
    int lastReturning = -1;
    for (int i = 0; i < plan.statements().size(); i++) {
      CommandStatement statement = (CommandStatement) plan.statements().get(i);
      Operation operation = Operation.compile(statement, slots, database, limits);
      Step step = plan.steps().get(i);
      int[] own = statement.names().stream().mapToInt(slots::get).toArray();
      commands.add(new Command(operation, step, own, paths(step), captures(step, slots)));
      lastReturning = operation.returns() ? i : lastReturning;
    }
    return new Program(plan, slots.size(), List.copyOf(commands), lastReturning);
  }

  private static List<List<String>> paths(Step step) {
    return step.wanted().stream().map(Program::path).toList();
  }

  private static List<Capture> captures(Step step, Map<String, Integer> byName) {
    return step.capture().entrySet().stream()
        .map(one -> new Capture(byName.get(one.getKey()), path(one.getValue())))
        .toList();
  }

  private static List<String> path(String column) {
    return List.of(column.split("\\.", -1));
  }

  /**
   * The values of a call, with room for what it captures.
   *
   * @throws IllegalArgumentException a value that BSON does not have
   */
  BsonValue[] values(Object[] arguments) {
    return values(plan, arguments, slots);
  }

  /**
   * A statement with the values of a call: null in BSON stands for what is not captured yet, and
   * the first element for each list of repetitions.
   */
  static BsonDocument bound(Plan plan, CommandStatement statement, Object[] arguments) {
    Map<String, Integer> slots = plan.slots();
    return Template.of(statement.command(), slots).document(values(plan, arguments, slots.size()));
  }

  static BsonValue[] values(Plan plan, Object[] arguments, int slots) {
    BsonValue[] values = new BsonValue[slots];
    for (int i = 0; i < slots; i++) {
      boolean given = i < plan.arguments().size();
      values[i] = given ? Values.bson(Repetition.at(arguments[i], 0)) : BsonNull.VALUE;
    }
    return values;
  }
}
