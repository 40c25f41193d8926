package io.shardload.driver.mongodb.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.DataObject;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A drop waits for a chunk that is being moved, and drops nothing with another uuid. */
class CollectionDropTest {
  private static final String LIST =
      "{listCollections: 1, cursor: {}, filter: {name: 'data_table'}}";
  private static final String DROP = "{drop: 'data_table'}";
  private static final int LOCK_BUSY = 46;
  private static final int CONFLICTING_OPERATION = 117;
  private static final DataObject OWN =
      new DataObject(
          "collection", "app.data_table", "uuid 00000000-0000-0000-0000-000000000001", true);

  private final FakeRouter router = FakeRouter.router("8.0.4");
  private final MongoClient client = router.client();
  private final TestSchema.Sleeps slept = new TestSchema.Sleeps();

  @AfterEach
  void close() {
    router.assertDone();
    client.close();
    router.close();
  }

  private FakeRouter present(int uuid) {
    return router.expect(
        "app",
        LIST,
        FakeRouter.rows(
            "{name: 'data_table', type: 'collection', options: {},"
                + " info: {uuid: UUID('00000000-0000-0000-0000-00000000000"
                + uuid
                + "')}}"));
  }

  private void drop() {
    Schema.drop(
        name -> new ClusterCatalog(client, "app", name),
        List.of(OWN),
        Duration.ofSeconds(2),
        slept,
        Progress.UNHEARD);
  }

  @Test
  void aBusyLockIsWaitedFor() {
    present(1).expectFailure("app", DROP, LOCK_BUSY);
    present(1).expectFailure("app", DROP, CONFLICTING_OPERATION);
    present(1).expect("app", DROP);
    router.expect("app", LIST, FakeRouter.rows());
    drop();
    assertThat(slept.nanos).hasSize(2);
  }

  @Test
  void butNotForEver() {
    for (int attempt = 0; attempt < 3; attempt++) {
      present(1).expectFailure("app", DROP, LOCK_BUSY);
    }
    assertThatThrownBy(this::drop)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("the cluster refused to drop it")
        .hasMessageEndingWith("run the same command again to continue waiting");
  }

  @Test
  void anotherRefusalIsFinal() {
    present(1).expectFailure("app", DROP, 13);
    assertThatThrownBy(this::drop).isInstanceOf(MongoCommandException.class);
  }

  @Test
  void aCollectionThatTookItsPlaceStays() {
    present(2);
    drop();
  }
}
