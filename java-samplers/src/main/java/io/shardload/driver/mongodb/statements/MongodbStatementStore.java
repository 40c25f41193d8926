package io.shardload.driver.mongodb.statements;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.PoolEvents;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs command documents through the client's typed API, so that the target's concerns, read
 * preference and retries hold for them.
 *
 * <p>An atomic plan is one transaction in a session: it reads from the primary, which the server
 * demands. Read and write concern are given explicitly: {@code default} reads with the target's
 * read concern, {@code read-committed} with {@code majority}, {@code repeatable-read} with {@code
 * snapshot}; the write concern is the target's. Nothing of it has taken effect before its commit,
 * so every failure up to there excludes the effect. The client repeats a commit without an answer,
 * as its specification requires, independent of {@code retry-writes}.
 */
public final class MongodbStatementStore implements StatementStore {
  private static final ClientSessionOptions SESSION =
      ClientSessionOptions.builder().causallyConsistent(false).build();

  private final Connections connections;
  private final ServerKind kind;
  private final MongoDatabase database;
  private final PoolEvents poolEvents;
  private final Operation.Limits limits;
  private final StatementFailures failures;
  private final Map<Plan, Program> programs = new ConcurrentHashMap<>();

  public MongodbStatementStore(Connections connections, ServerKind kind) {
    this.connections = connections;
    this.kind = kind;
    this.database = connections.database();
    this.poolEvents = connections.poolEvents();
    long timeoutMillis = connections.session().statementTimeout().toMillis();
    this.limits =
        new Operation.Limits(
            connections.settings().batchSize(),
            timeoutMillis,
            kind.firstFerretdb() ? 0 : timeoutMillis);
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
    Program.Execution execution;
    Program program;
    try {
      program = programs.computeIfAbsent(plan, p -> Program.of(p, database, limits));
      execution = new Program.Execution(program, arguments, answers, phases);
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

  private void oneByOne(Program program, Program.Execution execution, PoolEvents.Slot slot)
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

  private void together(Program program, Program.Execution execution, PoolEvents.Slot slot)
      throws CallFailure {
    try (ClientSession session = begin(program.plan().isolation())) {
      for (int i = 0; i < program.commands().size(); i++) {
        for (int k = 0; k < execution.times(i); k++) {
          if (i > 0 || k > 0) {
            slot.await(Phases.NONE);
          }
          execution.run(i, k, session);
        }
      }
      slot.await(Phases.NONE);
      try {
        session.commitTransaction();
      } catch (MongoException | IllegalStateException e) {
        throw StatementFailures.ofCommit(e, slot.connected());
      }
    } catch (RuntimeException e) {
      // Closing the session has aborted the transaction, or nobody will commit it any more.
      throw StatementFailures.beforeCommit(e, slot.connected());
    }
  }

  /** Why the target cannot run transactions of this isolation; empty if it can. */
  static Optional<String> refusal(Isolation isolation, String readConcern) {
    if (isolation == Isolation.SERIALIZABLE) {
      return Optional.of(
          "\"isolation: serializable\" does not exist on MongoDB; its strictest level is"
              + " repeatable-read (snapshot)");
    }
    boolean refused = readConcern.equals("available") || readConcern.equals("linearizable");
    if (isolation == Isolation.DEFAULT && refused) {
      return Optional.of(
          "\"isolation: default\" uses target.options.read-concern, but a transaction does not"
              + " support %s; set read-committed or repeatable-read".formatted(readConcern));
    }
    return Optional.empty();
  }

  /** A session with a transaction that has begun; closing the session aborts it. */
  private ClientSession begin(Isolation isolation) {
    refusal(isolation, connections.settings().readConcern())
        .ifPresent(
            text -> {
              throw new IllegalArgumentException(text);
            });
    ClientSession session = connections.transactionClient().startSession(SESSION);
    long timeoutMillis = connections.session().statementTimeout().toMillis();
    TransactionOptions.Builder options =
        TransactionOptions.builder()
            .readPreference(ReadPreference.primary())
            .readConcern(concern(isolation))
            .writeConcern(connections.acknowledgement());
    if (timeoutMillis > 0) {
      options.maxCommitTime(timeoutMillis, TimeUnit.MILLISECONDS);
    }
    session.startTransaction(options.build());
    return session;
  }

  private ReadConcern concern(Isolation isolation) {
    return switch (isolation) {
      case READ_COMMITTED -> ReadConcern.MAJORITY;
      case REPEATABLE_READ, SERIALIZABLE -> ReadConcern.SNAPSHOT;
      case DEFAULT, NONE -> connections.settings().concern();
    };
  }
}
