package io.shardload.parity;

import io.shardload.driver.Scratch;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.List;

/** Two real PostgreSQL databases with scratch tables, one spoken to in the simple protocol. */
final class TwoDatabases implements AutoCloseable {
  static final int CALLS = 12;

  final Database left = TestDatabases.fresh();
  final Database right = TestDatabases.fresh();
  private final StatementsModel model =
      DocumentStoreFolder.model(
          "postgresql", 5, "{'documents': 400, 'tenants': 4, 'document-size': '64B'}");
  private final Target one;
  private final Target other;
  private final Scratch scratch;
  private final Scratch otherScratch;

  TwoDatabases() throws CallFailure {
    one = left.open("{}");
    other = right.open("{'statements': 'simple'}");
    scratch = one.scratch(List.of("data_table"));
    otherScratch = other.scratch(List.of("data_table"));
  }

  /** Answers the calls of a transaction in place of the store. */
  @FunctionalInterface
  interface Mistake {
    void run(StatementStore store, Plan plan, Object[] arguments, Answers answers)
        throws CallFailure;
  }

  /** Compares both sides. */
  Parity.Result compare() throws CallFailure {
    return compare("", StatementsOnly.NO_MISTAKE);
  }

  /** Compares the first side with the other one, which makes a mistake in one transaction. */
  Parity.Result compare(String transaction, Mistake mistake) throws CallFailure {
    Ports wrong = new StatementsOnly(otherScratch, transaction, mistake);
    List<ComparedTarget> sides =
        List.of(
            new ComparedTarget("one", model, scratch), new ComparedTarget("other", model, wrong));
    return new Parity(sides, 5, CALLS, Progress.UNHEARD).run();
  }

  static Line line(Parity.Result result, String name) {
    return result.transactions().stream().filter(l -> l.name().equals(name)).findFirst().get();
  }

  @Override
  public void close() throws CallFailure {
    scratch.close();
    otherScratch.close();
    one.close();
    other.close();
  }

  /** The ports of a place, whose store makes a mistake. */
  private record StatementsOnly(Ports ports, String transaction, Mistake mistake) implements Ports {
    private static final Mistake NO_MISTAKE =
        (store, plan, arguments, answers) -> store.run(plan, arguments, answers, Phases.NONE);

    @Override
    public <P> P port(Class<P> type) {
      P port = ports.port(type);
      return port instanceof StatementStore store ? type.cast(mistaken(store)) : port;
    }

    private StatementStore mistaken(StatementStore store) {
      return new StatementStore() {
        @Override
        public String system() {
          return store.system();
        }

        @Override
        public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
            throws CallFailure {
          Mistake made = plan.transaction().equals(transaction) ? mistake : NO_MISTAKE;
          made.run(store, plan, arguments, answers);
        }
      };
    }
  }
}
