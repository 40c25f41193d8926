package io.shardload.driver.mongodb.store;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * When all documents are there a sharded cluster is asked whether it will move some. The reply is
 * that of the manual, {@code reference/command/balancerCollectionStatus}.
 */
class MongodbAfterLoadTest {
  private static void finishLoad(FakeRouter server, String topology, Product product)
      throws CallFailure {
    JsonObject options =
        JsonParser.parseString("{\"topology\": \"" + topology + "\"}").getAsJsonObject();
    try (Connections connections =
        new Connections(
            Address.parse(server.url("app")),
            "",
            Optional.empty(),
            Settings.read(new Options("target.options", options), true),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      SchemaOptions schema = SchemaOptions.read(Options.none("schema"));
      new MongodbAdmin(connections, new ServerKind(product, "8.0.4"), schema)
          .finishLoad(Progress.UNHEARD);
    }
    server.assertDone();
  }

  @Test
  void theBalancerIsAsked() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expect(
          "admin",
          "{balancerCollectionStatus: 'app.data_table'}",
          "{chunkSize: 128, balancerCompliant: true, ok: 1}");
      finishLoad(router, "sharded", Product.ROUTER);
    }
    try (FakeRouter standalone = FakeRouter.primary("8.0.4")) {
      finishLoad(standalone.says("readOnly: false"), "single", Product.STANDALONE);
    }
  }
}
