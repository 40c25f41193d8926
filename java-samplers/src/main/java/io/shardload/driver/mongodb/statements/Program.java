package io.shardload.driver.mongodb.statements;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.driver.mongodb.statements.command.Template;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Repetition;
import io.shardload.workload.statements.port.Step;
import java.util.AbstractList;
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
      List<List<String>> wanted = step.wanted().stream().map(Bson::path).toList();
      List<Capture> captures =
          step.capture().entrySet().stream()
              .map(one -> new Capture(slots.get(one.getKey()), Bson.path(one.getValue())))
              .toList();
      commands.add(new Command(operation, step, own, wanted, captures));
      lastReturning = operation.returns() ? i : lastReturning;
    }
    return new Program(plan, slots.size(), List.copyOf(commands), lastReturning);
  }

  /**
   * A statement with the values of a call: null in BSON stands for what is not captured yet, and
   * the first element for each list of repetitions.
   */
  static BsonDocument bound(Plan plan, CommandStatement statement, Object[] arguments) {
    Map<String, Integer> slots = plan.slots();
    return Template.of(statement.command(), slots).document(values(plan, arguments, slots.size()));
  }

  /**
   * The values of a call, with room for what it captures.
   *
   * @throws IllegalArgumentException a value that BSON does not have
   */
  static BsonValue[] values(Plan plan, Object[] arguments, int slots) {
    BsonValue[] values = new BsonValue[slots];
    for (int i = 0; i < slots; i++) {
      boolean given = i < plan.arguments().size();
      values[i] = given ? Values.bson(Repetition.at(arguments[i], 0)) : BsonNull.VALUE;
    }
    return values;
  }

  /** One run of a plan: its values, what it captured, and where its phases end. One thread's. */
  static final class Execution implements Operation.Rows {
    private static final int[] NO_SLOTS = {};

    private final Program program;
    private final Object[] arguments;
    private final BsonValue[] slots;
    private final Answers answers;
    private final Phases phases;

    /** The wanted columns of the row that is read now. */
    private final AbstractList<Object> wanted =
        new AbstractList<>() {
          @Override
          public Object get(int index) {
            return Values.java(Bson.at(row, command.wanted().get(index)));
          }

          @Override
          public int size() {
            return command.wanted().size();
          }
        };

    private int index;
    private Command command;
    private BsonDocument row;
    private boolean first;
    private boolean marked;

    /**
     * @throws IllegalArgumentException a value that BSON does not have
     */
    Execution(Program program, Object[] arguments, Answers answers, Phases phases) {
      this.program = program;
      this.arguments = arguments;
      this.slots = values(program.plan, arguments, program.slots);
      this.answers = answers;
      this.phases = phases;
    }

    /** How often a statement is run. */
    int times(int number) {
      Command one = program.commands().get(number);
      return Repetition.times(one.step(), arguments, one.slots());
    }

    /**
     * Runs a statement.
     *
     * @param session of the transaction, or null
     */
    void run(int number, int repetition, ClientSession session) throws CallFailure {
      index = number;
      command = program.commands().get(number);
      for (int slot : command.step().each().isEmpty() ? NO_SLOTS : command.slots()) {
        if (slot < arguments.length && arguments[slot] instanceof Object[] each) {
          slots[slot] = Values.bson(each[repetition]);
        }
      }
      first = true;
      long rows = command.operation().binding().bind(session, slots).run(this);
      answers.ended(number, rows);
    }

    @Override
    public void whole() {
      boolean last = index == program.commands().size() - 1;
      if (last && !marked && !program.plan().isolation().atomic()) {
        marked = true;
        phases.acknowledged();
      }
    }

    @Override
    public void accept(BsonDocument row) {
      if (!marked && index == program.lastReturning()) {
        marked = true;
        phases.found();
      }
      if (first) {
        first = false;
        for (Capture capture : command.captures()) {
          BsonValue value = Bson.at(row, capture.path());
          slots[capture.slot()] = value == null ? BsonNull.VALUE : value;
        }
      }
      this.row = row;
      answers.row(index, wanted, Values.EQUALITY);
    }

    /** All statements have ended, and their effects are acknowledged. */
    void ended() {
      if (!marked) {
        phases.acknowledged();
      }
    }
  }
}
