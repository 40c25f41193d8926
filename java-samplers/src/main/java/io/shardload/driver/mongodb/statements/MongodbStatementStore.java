package io.shardload.driver.mongodb.statements;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.PoolEvents;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs command documents through the client's typed API, so that the target's concerns, read
 * preference and retries hold for them.
 *
 * <p>An atomic plan is one transaction in a session: it reads from the primary, with the concerns
 * of {@link Transactions}. Nothing of it has taken effect before its commit, so every failure up to
 * there excludes the effect. The client repeats a commit without an answer, as its specification
 * requires, independent of {@code retry-writes}.
 */
public final class MongodbStatementStore implements StatementStore {
  private final ServerKind kind;
  private final MongoDatabase database;
  private final PoolEvents poolEvents;
  private final Operation.Limits limits;
  private final Transactions transactions;
  private final StatementFailures failures;
  private final Map<Plan, Program> programs = new ConcurrentHashMap<>();

  public MongodbStatementStore(Connections connections, ServerKind kind) {
    this.kind = kind;
    this.database = connections.database();
    this.poolEvents = connections.poolEvents();
    long timeoutMillis = connections.session().statementTimeout().toMillis();
    this.limits =
        new Operation.Limits(
            connections.settings().batchSize(),
            timeoutMillis,
            kind.firstFerretdb() ? 0 : timeoutMillis);
    this.transactions = new Transactions(connections);
    this.failures = new StatementFailures(connections.settings().retryWrites());
  }

  @Override
  public String system() {
    return system(kind);
  }

  static String system(ServerKind kind) {
    return kind.ferretdb() ? "ferretdb" : "mongodb";
  }

  @Override
  public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
      throws CallFailure {
    PoolEvents.Slot slot = poolEvents.slot();
    Execution execution;
    Program program;
    try {
      program = programs.computeIfAbsent(plan, p -> Program.of(p, database, limits));
      execution = new Execution(program, arguments, answers, phases);
    } catch (IllegalArgumentException e) {
      throw StatementFailures.notSent(e);
    }
    answers.begin();
    slot.await(phases);
    if (plan.isolation().atomic()) {
      together(program, execution, slot);
    } else {
      oneByOne(program, execution, slot);
    }
    execution.ended();
  }

  private void oneByOne(Program program, Execution execution, PoolEvents.Slot slot)
      throws CallFailure {
    boolean wrote = false;
    for (int i = 0; i < program.commands().size(); i++) {
      Operation operation = program.commands().get(i).operation();
      for (int k = 0; k < execution.times(i); k++) {
        if (i > 0 || k > 0) {
          slot.await(Phases.NONE);
        }
        try {
          execution.run(i, k, null);
        } catch (CallFailure e) {
          throw wrote || operation.writes() ? e.excluding(false) : e;
        } catch (RuntimeException e) {
          CallFailure failure = failures.of(e, slot.connected(), operation);
          throw wrote ? failure.excluding(false) : failure;
        }
        wrote |= operation.writes();
      }
    }
  }

  private void together(Program program, Execution execution, PoolEvents.Slot slot)
      throws CallFailure {
    try (ClientSession session = transactions.begin(program.plan().isolation())) {
      for (int i = 0; i < program.commands().size(); i++) {
        for (int k = 0; k < execution.times(i); k++) {
          if (i > 0 || k > 0) {
            slot.await(Phases.NONE);
          }
          execution.run(i, k, session);
        }
      }
      slot.await(Phases.NONE);
      commit(session, slot);
    } catch (RuntimeException e) {
      // Closing the session has aborted the transaction, or nobody will commit it any more.
      throw StatementFailures.beforeCommit(e, slot.connected());
    }
  }

  private static void commit(ClientSession session, PoolEvents.Slot slot) throws CallFailure {
    try {
      session.commitTransaction();
    } catch (MongoException | IllegalStateException e) {
      throw StatementFailures.ofCommit(e, slot.connected());
    }
  }
}
