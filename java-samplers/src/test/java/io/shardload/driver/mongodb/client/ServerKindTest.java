package io.shardload.driver.mongodb.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A product is identified by a reply that no other product gives. The replies are those of the
 * fixtures of MongoDB's own tools, {@code mongodb-js/devtools-shared}, {@code
 * packages/mongodb-build-info/test} (BUILD_INFO_4_2, COSMOSDB_BUILD_INFO,
 * DOCUMENTDB_CMD_LINE_OPTS), shortened.
 */
class ServerKindTest {
  private static final String MONGODB =
      "{ok: 1, version: '4.2.1', gitVersion: 'edf6d45851c0b9ee15548f0f847df141764a317e', modules:"
          + " ['enterprise'], allocator: 'tcmalloc', javascriptEngine: 'mozjs', bits: 64}";
  private static final String COSMOS =
      "{_t: 'BuildInfoResponse', ok: 1, version: '3.2.0', gitVersion:"
          + " '45d947729a0315accb6d4f15a6b06be6d9c19fe7', targetMinOS: 'Windows 7/Windows Server"
          + " 2008 R2', modules: [], allocator: 'tcmalloc', javascriptEngine: 'Chakra', bits: 64}";
  private static final String PLAIN = "{ok: 1, version: '5.0.0', versionArray: [5, 0, 0, 0]}";
  private static final String REFUSED =
      "{ok: 0, errmsg: 'Feature not supported: getCmdLineOpts', code: 303}";

  private final FakeRouter server = FakeRouter.primary("8.0.4");

  private ServerKind ask() {
    try (server;
        MongoClient client = server.client()) {
      ServerKind kind = ServerKind.ask(client);
      server.assertDone();
      return kind;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "msg: 'isdbgrid', ROUTER",
    "setName: 'rs0', REPLICA_SET",
    "readOnly: false, STANDALONE",
    // The gateway of the extension DocumentDB, as its documentation of hello says.
    "'msg: ''isdbgrid'', internal: {documentdb_versions: [''0.113-0'']}', UNKNOWN"
  })
  void mongodbInItsRoles(String hello, Product product) {
    server.builtAs(MONGODB).says(hello);
    assertThat(ask()).isEqualTo(new ServerKind(product, "4.2.1"));
  }

  /** Its gitVersion is that of a MongoDB. */
  @Test
  void cosmosDb() {
    server.builtAs(COSMOS);
    ServerKind kind = ask();
    assertThat(kind.title()).isEqualTo("Azure Cosmos DB 3.2.0");
    assertThat(kind.mongodb()).isFalse();
    assertThat(kind.fake()).isFalse();
  }

  @Test
  void amazonDocumentdb() {
    server.builtAs(PLAIN).expect("admin", "{getCmdLineOpts: 1}", REFUSED);
    ServerKind kind = ask();
    assertThat(kind.title()).isEqualTo("Amazon DocumentDB 5.0.0");
    assertThat(kind.mongodb()).isFalse();
    assertThat(kind.fake()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "one.cluster-x.eu-west-1.docdb.amazonaws.com, AMAZON_DOCUMENTDB",
    "one.x.eu-west-1.docdb-elastic.amazonaws.com, AMAZON_DOCUMENTDB",
    "one.mongocluster.cosmos.azure.com, COSMOS_DB",
    "one.ec2.amazonaws.com, REPLICA_SET"
  })
  void servicesAreKnownByTheirHosts(String host, Product product) {
    server.builtAs(MONGODB);
    String url = "mongodb://" + server.address().replace("127.0.0.1", host);
    try (server;
        MongoClient client =
            MongoClients.create(
                MongoClientSettings.builder()
                    .applyConnectionString(new ConnectionString(url + "/?directConnection=true"))
                    .inetAddressResolver(name -> List.of(InetAddress.getLoopbackAddress()))
                    .build())) {
      assertThat(ServerKind.ask(client).product()).isEqualTo(product);
    }
  }

  /** Only mongo-java-server is a fake. */
  @ParameterizedTest
  @ValueSource(strings = {"{ok: 1, process: 'mongod'}", "{ok: 1}", "{ok: 0, code: 13}"})
  void whoeverElseItIs(String status) {
    server
        .builtAs(PLAIN)
        .expect("admin", "{getCmdLineOpts: 1}", "{ok: 0, errmsg: 'no', code: 13}")
        .expect("admin", "{serverStatus: 1}", status);
    ServerKind kind = ask();
    assertThat(kind.describe()).isEqualTo("unknown product 5.0.0 (speaks MongoDB's protocol)");
    assertThat(kind.fake()).isFalse();
    assertThat(kind.mongodb()).isFalse();
  }

  @Test
  void realOnes() {
    assertThat(ServerKind.ask(TestMongo.ferretdb().client()).product()).isEqualTo(Product.FERRETDB);
    assertThat(ServerKind.ask(TestMongo.fake().client()).product()).isEqualTo(Product.FAKE);
  }
}
