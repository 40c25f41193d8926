package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Target;
import io.shardload.driver.Target.Move;
import io.shardload.workload.CallFailure;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the servers moved between the first and the last line of the generators. */
class EnvironmentMovesTest {
  private static final Move MOVE =
      new Move(Instant.parse("2026-11-22T10:00:12Z"), "s0", "s1", "a to b");

  @TempDir private Path bundle;
  private CallFailure refusal;

  private JsonObject after(Optional<List<Move>> moves) throws Exception {
    Files.writeString(bundle.resolve("environment.json"), "{\"server\": {\"name\": \"x\"}}");
    Path latencies = Files.createDirectories(bundle.resolve("latencies"));
    ledger(latencies.resolve("generator-0.jsonl"), 5_000, 9_000);
    ledger(latencies.resolve("generator-1.jsonl"), 4_000, 8_000);
    Target target =
        (Target)
            Proxy.newProxyInstance(
                Target.class.getClassLoader(),
                new Class<?>[] {Target.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("moves");
                  assertThat(arguments)
                      .containsExactly(Instant.ofEpochMilli(4_000), Instant.ofEpochMilli(9_000));
                  if (refusal != null) {
                    throw refusal;
                  }
                  return moves;
                });
    Environment.addAfterRun(bundle, target);
    return JsonParser.parseString(Files.readString(bundle.resolve("environment.json")))
        .getAsJsonObject()
        .getAsJsonObject("server");
  }

  private static void ledger(Path file, long first, long last) throws Exception {
    Files.writeString(
        file,
        "{'seq':1,'epoch_ms':%d}\n{'seq':2,'epoch_ms':%d}\n{'final':true}\n"
            .formatted(first, last)
            .replace('\'', '"'));
  }

  @Test
  void movesAreAdded() throws Exception {
    assertThat(after(Optional.of(List.of(MOVE))))
        .isEqualTo(
            Asked.json(
                "{'name':'x','moves':[{'at':'2026-11-22T10:00:12Z','from':'s0','to':'s1',"
                    + "'chunk':'a to b'}]}"));
  }

  @Test
  void noneIsNotTheSameAsNotKnown() throws Exception {
    assertThat(after(Optional.of(List.of()))).isEqualTo(Asked.json("{'name':'x','moves':[]}"));
    assertThat(after(Optional.empty())).isEqualTo(Asked.json("{'name':'x'}"));
    refusal = new CallFailure("not-allowed", true, false, "not authorized on config");
    assertThat(after(Optional.empty()))
        .isEqualTo(Asked.json("{'name':'x','moves_unknown':'not authorized on config'}"));
  }
}
