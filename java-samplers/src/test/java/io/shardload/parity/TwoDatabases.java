package io.shardload.parity;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Scratch;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.util.List;

/** Two real PostgreSQL databases with scratch tables, one spoken to in the simple protocol. */
final class TwoDatabases implements AutoCloseable {
  private static final String DATA =
      "{\"documents\": 400, \"tenants\": 4, \"document-size\": \"64B\"}";
  static final int CALLS = 12;

  final Database left = TestDatabases.fresh();
  final Database right = TestDatabases.fresh();
  private final DocumentStoreModel model =
      (DocumentStoreModel)
          new DocumentStoreWorkload()
              .model(
                  5, new Options("workload.data", JsonParser.parseString(DATA).getAsJsonObject()));
  private final Target one;
  private final Target other;
  private final Scratch scratch;
  private final Scratch otherScratch;

  TwoDatabases() throws CallFailure {
    one = left.open("{}");
    other = right.open("{'statements': 'simple'}");
    scratch = made(one);
    otherScratch = made(other);
  }

  private static Scratch made(Target target) throws CallFailure {
    Scratch scratch = target.scratch(List.of("data_table"));
    admin(scratch).createSchema(Making.UNRECORDED, Progress.UNHEARD);
    return scratch;
  }

  private static DocumentStoreAdmin admin(Scratch scratch) {
    return scratch.port(DocumentStoreAdmin.class);
  }

  /** The store of the side that may be given a wrong one. */
  DocumentStore other() {
    return otherScratch.port(DocumentStore.class);
  }

  DocumentStoreAdmin otherAdmin() {
    return admin(otherScratch);
  }

  /** Compares the first side with the other one, which answers through this store. */
  Parity.Result compare(DocumentStore store) throws CallFailure {
    List<ComparedTarget> sides =
        List.of(
            new ComparedTarget("one", admin(scratch), scratch.port(DocumentStore.class)),
            new ComparedTarget("other", admin(otherScratch), store));
    return new Parity(model, sides, 5, CALLS, Progress.UNHEARD).run();
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
}
