package io.shardload.sampler;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin in the engine process of a load host. */
class EngineTest {
  private static final String HOSTS = "\"hosts\": {\"list\": [\"a:1099\"]}";

  @TempDir Path directory;

  @BeforeEach
  void beAnEngine() throws IOException {
    System.setProperty("shardload.engine", "127.0.0.2:1099");
    System.setProperty("shardload.runs", directory.toString());
    Path none = Files.writeString(directory.resolve("jmeter.properties"), "");
    JMeterUtils.loadJMeterProperties(none.toString());
  }

  @AfterEach
  void beNone() {
    System.clearProperty("shardload.engine");
    System.clearProperty("shardload.runs");
    JMeterUtils.getJMeterProperties().remove("shardload.config");
  }

  private static JavaSamplerContext context(String config) {
    Arguments arguments = new Arguments();
    arguments.addArgument("config", config);
    return new JavaSamplerContext(arguments);
  }

  /** Mutations: run standalone on the default URL; take a file that lies on the host. */
  @Test
  void anEngineRunsNothingOfItsOwn() {
    assertThat(refusalOf(() -> Parameters.config(context(""))))
        .hasMessageContaining("takes its configuration only from shardload");
    JMeterUtils.setProperty("shardload.config", "{}");
    assertThat(refusalOf(() -> Parameters.config(context("own.json"))))
        .hasMessageContaining("takes its configuration only from shardload");
    assertThat(Parameters.config(context(""))).isEqualTo(new JsonObject());
  }

  /** Mutation: keep the controller's path. */
  @Test
  void filesLieWhereTheHostKeepsThem() {
    JsonObject config = config("\"id\": \"r-1\", \"directory\": \"/controller/runs/r-1\"", HOSTS);
    assertThat(EngineRun.of(config).runId()).isEqualTo("r-1");
    assertThat(config.getAsJsonObject("run").get("directory").getAsString())
        .isEqualTo(directory.resolve("r-1").toString());
  }

  /** Mutations: any text as a folder; a run that has no meeting point. */
  @Test
  void aRunHasANameAndLoadHosts() {
    for (String id : new String[] {"../r", "a/b", "..", ".hidden", ""}) {
      assertThatThrownBy(() -> EngineRun.of(config("\"id\": \"" + id + "\"", HOSTS)))
          .isInstanceOfSatisfying(
              ConfigException.class, e -> assertThat(e.key()).isEqualTo("run.id"));
    }
    assertThatThrownBy(() -> EngineRun.of(config("\"id\": \"r\"", "\"x\": 1")))
        .isInstanceOfSatisfying(ConfigException.class, e -> assertThat(e.key()).isEqualTo("hosts"));
  }

  private static JsonObject config(String run, String more) {
    return JsonParser.parseString("{\"run\": {" + run + "}, " + more + "}").getAsJsonObject();
  }
}
