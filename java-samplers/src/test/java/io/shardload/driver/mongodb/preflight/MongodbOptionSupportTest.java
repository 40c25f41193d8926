package io.shardload.driver.mongodb.preflight;

import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.MongodbDriver;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An option that the server would ignore, or refuse in every call, is one line when opened. */
class MongodbOptionSupportTest {
  private static final String FIND =
      "{find: 'shardload_header', readConcern: {level: '%s'}, filter: {_id:";
  private static final String FIRST =
      FIND.formatted("majority") + " null}, limit: 1, singleBatch: true}";
  private static final String WRITE =
      "{delete: 'shardload_header', deletes: [{q: {_id: null}, limit: 1}], writeConcern: {w: %d,"
          + " wtimeout: 1}}";
  private static final String SHARDING = "{shardingState: 1}";
  private static final String COMPRESSION = "{hello: 1, compression: ['zlib']}";

  @AutoClose private final FakeRouter server = FakeRouter.primary("8.0.4");

  /** As its own only member, with sessions. */
  private FakeRouter replicaSet() {
    return server
        .says(
            "setName: 'rs0', logicalSessionTimeoutMinutes: 30, hosts: ['%s'], me: '%s', primary: '%s'"
                .formatted(server.address(), server.address(), server.address()))
        .expect("admin", SHARDING, "{ok: 1, enabled: false}")
        .expect("app", FIRST, rows());
  }

  private FakeRouter standalone() {
    return server.says("logicalSessionTimeoutMinutes: 30");
  }

  private static String find(String concern, String preference) {
    return FIND.formatted(concern)
        + " null}, limit: 1, singleBatch: true, maxTimeMS: {$numberLong: '5000'}"
        + preference
        + "}";
  }

  private static ServerKind ask(String url, String options) {
    try (Connections connections = TestConnections.open(url, options, TestConnections.SESSION)) {
      return new Probe(connections, "").ask();
    }
  }

  private ConfigException refused(String options) {
    return refusalOf(() -> ask(server.url("app"), options));
  }

  @ParameterizedTest
  @CsvSource({
    "FERRETDB, read-concern, majority, ignores read concerns; leave it out",
    "FERRETDB, read-concern, available, ignores read concerns; leave it out",
    "FAKE, read-concern, linearizable, ignores read concerns",
    "FERRETDB, retry-writes, true, the driver does not retry writes on",
    "FAKE, retry-writes, true, the driver does not retry writes on",
    "FERRETDB, compressor, zlib, 'does not support zlib; leave it out'",
    "FAKE, compressor, zlib, does not support zlib",
    "FERRETDB, read-preference, secondary, secondary has no effect with 'topology: single'",
    "FERRETDB, write-concern, 3, 3 members cannot acknowledge a write with 'topology: single'"
  })
  void whatASingleServerIgnores(Kind kind, String option, String value, String message) {
    ConfigException e =
        refusalOf(() -> ask(kind.fresh().url(), "'" + option + "': '" + value + "'"));
    assertThat(e.key()).isEqualTo("target.options." + option);
    assertThat(e).hasMessageContaining(message);
  }

  @Test
  void theDriverRetriesNoWriteOnAStandalone() {
    standalone();
    ConfigException e = refused("'retry-writes': true");
    assertThat(e.key()).isEqualTo("target.options.retry-writes");
    assertThat(e).hasMessageContaining("MongoDB 8.0.4 (standalone)");
  }

  @Test
  void membersOfAReplicaSetTakeWhatTheyCan() {
    replicaSet().expect("app", find("local", ""), rows());
    assertThat(ask(server.url("app"), "'topology': 'replica-set', 'retry-writes': true").version())
        .isEqualTo("8.0.4");
    server.assertDone();
  }

  /** As the manual has both answers; a MongoDB 4.0.3 that is neither answers enabled: false. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shardsAndConfigServersAreReachedThroughRouters(boolean shard) {
    if (shard) {
      server.expect("admin", SHARDING, "{ok: 1, enabled: true, shardName: 's1'}");
    } else {
      server.says("setName: 'rs0', configsvr: 2");
    }
    assertThat(refused("'topology': 'replica-set'"))
        .hasMessage(
            "is replica-set, but %s belongs to a sharded cluster; set 'topology: sharded', and name its routers in target.url"
                .formatted(server.address()))
        .hasFieldOrPropertyWithValue("key", "target.options.topology");
    server.assertDone();
  }

  /** They hold no sessions, and nothing is written to them; one may not be asked for shards. */
  @Test
  void anArbiterInTheUrlNeedNotRetry() {
    replicaSet().expect("app", find("local", ""), rows());
    try (FakeRouter arbiter = FakeRouter.primary("8.0.4")) {
      arbiter.expectFailure("admin", SHARDING, 13);
      arbiter.says(
          "setName: 'rs0', ismaster: false, isWritablePrimary: false, arbiterOnly: true, hosts:"
              + " ['%s'], arbiters: ['%s'], me: '%s'"
                  .formatted(server.address(), arbiter.address(), arbiter.address()));
      String url = arbiter.url("app").replace("/app", "," + server.address() + "/app");
      ask(url, "'topology': 'replica-set', 'retry-writes': true");
      server.assertDone();
      arbiter.assertDone();
    }
  }

  /** The fake shares no compressor in its handshake, so nothing is compressed. */
  @ParameterizedTest
  @CsvSource({"'[''zlib'']', true", "'[''snappy'']', false", "'[]', false"})
  void aCompressorIsTheServersToo(String told, boolean taken) {
    server.says("logicalSessionTimeoutMinutes: 30");
    server.expect("admin", COMPRESSION, "{ok: 1, compression: " + told + "}");
    if (taken) {
      server
          .expect(
              "app",
              "{find: 'shardload_header', filter: {_id: null}, limit: 1, singleBatch: true}",
              rows())
          .expect("app", find("local", ""), rows());
      assertThat(ask(server.url("app"), "'compressor': 'zlib'").mongodb()).isTrue();
    } else {
      ConfigException e = refused("'compressor': 'zlib'");
      assertThat(e.key()).isEqualTo("target.options.compressor");
      assertThat(e)
          .hasMessage(
              server.address()
                  + ", MongoDB 8.0.4 (standalone), does not support zlib; leave it out");
    }
    server.assertDone();
  }

  @Test
  void thereIsNoSecondary() {
    replicaSet();
    ConfigException e =
        refused(
            "'topology': 'replica-set', 'read-preference': 'secondary',"
                + " 'server-selection-timeout': '3s'");
    assertThat(e.key()).isEqualTo("target.options.read-preference");
    assertThat(e)
        .hasMessage(
            "secondary: no server to read from: no matching server among "
                + server.address()
                + ", the addresses that the servers report");
    server.assertDone();
  }

  /** It says so, or is asked no longer while it waits for one. */
  @ParameterizedTest
  @ValueSource(ints = {133, 50})
  void aRouterFindsNoSecondaryOfAShard(int code) {
    server.says("msg: 'isdbgrid'").expect("app", FIRST, rows());
    server.expectFailure("app", find("local", ", $readPreference: {mode: 'secondary'}"), code);
    ConfigException e = refused("'topology': 'sharded', 'read-preference': 'secondary'");
    assertThat(e.key()).isEqualTo("target.options.read-preference");
    assertThat(e)
        .hasMessageStartingWith("secondary: no server to read from: ")
        .hasMessageContaining("scripted");
    server.assertDone();
  }

  @Test
  void aReadConcernThatTheServerRefuses() {
    standalone()
        .expect(
            "app",
            "{find: 'shardload_header', filter: {_id: null}, limit: 1, singleBatch: true}",
            rows())
        .expectFailure("app", find("linearizable", ""), 123);
    ConfigException e = refused("'read-concern': 'linearizable'");
    assertThat(e.key()).isEqualTo("target.options.read-concern");
    assertThat(e)
        .hasMessageStartingWith(
            "linearizable: MongoDB 8.0.4 (standalone) does not support a find with this"
                + " read concern: ")
        .hasMessageContaining("scripted");
    server.assertDone();
  }

  @ParameterizedTest
  @CsvSource({
    "'{ok: 1, n: 0, writeConcernError: {code: 100, errmsg: ''Not enough data-bearing nodes''}}',"
        + " Not enough data-bearing nodes",
    "'{ok: 0, code: 2, errmsg: ''cannot use''}', cannot use"
  })
  void moreMembersThanThereAre(String answer, String why) {
    replicaSet().expect("app", find("local", ""), rows()).expect("app", WRITE.formatted(5), answer);
    ConfigException e = refused("'topology': 'replica-set', 'write-concern': '5'");
    assertThat(e.key()).isEqualTo("target.options.write-concern");
    assertThat(e.getMessage()).startsWith("5 members cannot acknowledge a write: ").contains(why);
    server.assertDone();
  }

  /** That a member is late or away is for the run to find out. */
  @ParameterizedTest
  @ValueSource(strings = {"{ok: 1, n: 0}", "{ok: 1, n: 0, writeConcernError: {code: 64}}"})
  void enoughMembers(String answer) {
    replicaSet().expect("app", find("local", ""), rows()).expect("app", WRITE.formatted(2), answer);
    ask(server.url("app"), "'topology': 'replica-set', 'write-concern': '2'");
    server.assertDone();
  }

  /** listShards names no hidden members, and these acknowledge, too. */
  @ParameterizedTest
  @CsvSource({
    "3, ''",
    "4, 'target.options.write-concern: 4 members must acknowledge a write, but"
        + " shard s1 lists 3 (d:1,e:1,f:1); unless the shard has hidden members,"
        + " every write fails'"
  })
  void aShardNamesFewerMembers(int members, String warning) {
    server
        .says("msg: 'isdbgrid'")
        .expect("app", FIRST, rows())
        .expect("app", find("local", ""), rows())
        .expect(
            "admin",
            "{listShards: 1}",
            "{ok: 1, shards: [{_id: 's0', host: 's0/a:1,b:1,c:1,x:1'}, {_id: 's1', host:"
                + " 's1/d:1,e:1,f:1'}]}");
    JsonObject options = new JsonObject();
    options.addProperty("topology", "sharded");
    options.addProperty("write-concern", "" + members);
    try (Target target =
        new MongodbDriver()
            .open(
                new TargetConfig("test", "mongodb", "", server.url("app"), "", "", options),
                TestConnections.SESSION)) {
      assertThat(String.join("", target.warnings())).isEqualTo(warning);
    }
    server.assertDone();
  }

  @Test
  void whoMayNotAskForTheShardsIsNotStopped() {
    server
        .says("msg: 'isdbgrid'")
        .expect("app", FIRST, rows())
        .expect("app", find("local", ""), rows())
        .expectFailure("admin", "{listShards: 1}", 13);
    assertThat(ask(server.url("app"), "'topology': 'sharded', 'write-concern': '3'").sharded())
        .isTrue();
    server.assertDone();
  }
}
