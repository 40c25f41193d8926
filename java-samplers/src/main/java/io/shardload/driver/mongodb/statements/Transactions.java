package io.shardload.driver.mongodb.statements;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.workload.statements.port.Isolation;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Begins transactions, with read and write concern given explicitly. {@code default} reads with the
 * target's read concern, {@code read-committed} with {@code majority}, {@code repeatable-read} with
 * {@code snapshot}. Read preference is {@code primary}, which the server demands. The write concern
 * is the target's.
 */
record Transactions(Connections connections, MongoClient client) {
  private static final ClientSessionOptions SESSION =
      ClientSessionOptions.builder().causallyConsistent(false).build();

  Transactions(Connections connections) {
    this(connections, connections.transactionClient());
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
  ClientSession begin(Isolation isolation) {
    refusal(isolation, connections.settings().readConcern())
        .ifPresent(
            text -> {
              throw new IllegalArgumentException(text);
            });
    ClientSession session = client.startSession(SESSION);
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
