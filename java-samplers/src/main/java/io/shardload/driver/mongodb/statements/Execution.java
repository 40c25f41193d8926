package io.shardload.driver.mongodb.statements;

import com.mongodb.client.ClientSession;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Repetition;
import java.util.AbstractList;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** One run of a plan: its values, what it captured, and where its phases end. One thread's. */
final class Execution implements Operation.Rows {
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
          return Values.java(Values.at(row, command.wanted().get(index)));
        }

        @Override
        public int size() {
          return command.wanted().size();
        }
      };

  private int index;
  private Program.Command command;
  private BsonDocument row;
  private boolean first;
  private boolean marked;

  /**
   * @throws IllegalArgumentException a value that BSON does not have
   */
  Execution(Program program, Object[] arguments, Answers answers, Phases phases) {
    this.program = program;
    this.arguments = arguments;
    this.slots = program.values(arguments);
    this.answers = answers;
    this.phases = phases;
  }

  /** How often a statement is run. */
  int times(int number) {
    Program.Command one = program.commands().get(number);
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
      for (Program.Capture capture : command.captures()) {
        BsonValue value = Values.at(row, capture.path());
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
