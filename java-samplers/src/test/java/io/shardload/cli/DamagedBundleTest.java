package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A bundle may come from anywhere. Whatever its small files hold, each verb that reads it works or
 * says in plain words what is damaged.
 */
class DamagedBundleTest {
  private static final List<String> WRONG =
      List.of("1e300", "-1", "\"x\"", "[]", "{}", "null", "true", "2000000000");

  @TempDir Path folder;
  private Path bundle;
  private String summary;

  @BeforeEach
  void write() throws Exception {
    BundleFixture run = new BundleFixture(folder.resolve("runs/damaged")).hosts("h1", "h2");
    run.segment("warm-up", "warm-up", 1, 2).segment("hold", "hold", 1, 4).lost(1, 0.5);
    BundleFixture.Generator generator = run.generator(0);
    generator.done(0, "warm-up", "update", 2).done(1, "hold", "update", 4);
    generator.latency(1, "hold", "update", "response", 1_000_000, 4);
    generator.scheduled("hold", "update", 1).error(1, "hold", "update", "refused", 1);
    generator.count(1, "hold", "update", "started", 1).count(1, "hold", "update", "failed", 1);
    run.load().add("limits", BundleFixture.parse("{'p99_ms':50}"));
    add(run.run, "host_metrics", "'local'");
    add(run.run, "server_hosts", "[{'host':'db','port':1}]");
    add(
        run.run,
        "criteria",
        "[{'text':'a','subject':'p50','condition':'>','threshold':1},"
            + "{'text':'b','subject':'rcrefused','condition':'<','threshold':1}]");
    add(run.outcome, "criteria", "[{'text':'c','passed':true,'value':1}]");
    add(run.outcome, "generators", "[{'generator':1,'exit_code':-9}]");
    add(run.outcome, "notes", "['a note']");
    bundle = run.write();
    ask("finish", bundle);
    summary = Files.readString(bundle.resolve("summary.json"));
  }

  private static void add(JsonObject to, String key, String singleQuoted) {
    to.add(key, JsonParser.parseString(singleQuoted.replace('\'', '"')));
  }

  private static JsonObject ask(String verb, Path directory, String... more)
      throws CallFailure, IOException {
    JsonObject request = new JsonObject();
    request.addProperty("verb", verb);
    request.addProperty("directory", directory.toString());
    for (int i = 0; i < more.length; i += 2) {
      add(request, more[i], more[i + 1]);
    }
    try (Verbs verbs = new Verbs()) {
      return verbs.run(
          request,
          new Listener() {
            @Override
            public void step(String what, long done, long total, String unit) {}

            @Override
            public void note(String text) {}
          });
    }
  }

  @Test
  void aWrongValueInTheConfigurationIsNoMistakeOfTheProgram() throws IOException {
    assertThat(wrongIn("run.json")).isEmpty();
  }

  @Test
  void aWrongValueInTheOutcomeIsNoMistakeOfTheProgram() throws IOException {
    assertThat(wrongIn("outcome.json")).isEmpty();
  }

  /** Puts each wrong value in each place of a file; returns what no user would understand. */
  private List<String> wrongIn(String name) throws IOException {
    Path file = bundle.resolve(name);
    JsonObject whole = BundleFixture.read(file);
    List<Place> places = new ArrayList<>();
    collect(name, whole, places);
    List<String> found = new ArrayList<>();
    for (Place place : places) {
      for (String wrong : WRONG) {
        place.put().accept(JsonParser.parseString(wrong));
        Files.writeString(file, whole.toString());
        place.put().accept(place.right());
        String what = place.path() + " = " + wrong;
        verbs(what, found);
        if (wrong.equals(WRONG.get(0))) {
          others(what, found); // They take long, and read it as finish does.
        }
      }
    }
    assertThat(places).hasSizeGreaterThan(10);
    return found;
  }

  /** A place of a document, with what is right there. */
  private record Place(String path, JsonElement right, Consumer<JsonElement> put) {}

  private static void collect(String path, JsonElement in, List<Place> places) {
    if (in instanceof JsonObject object) {
      for (Map.Entry<String, JsonElement> one : object.entrySet()) {
        String at = path + "." + one.getKey();
        places.add(new Place(at, one.getValue(), one::setValue));
        collect(at, one.getValue(), places);
      }
    } else if (in instanceof JsonArray list) {
      for (int i = 0; i < list.size(); i++) {
        int place = i;
        places.add(new Place(path + "." + i, list.get(i), value -> list.set(place, value)));
        collect(path + "." + i, list.get(i), places);
      }
    }
  }

  private void verbs(String what, List<String> found) throws IOException {
    Files.writeString(bundle.resolve("summary.json"), summary);
    attempt(what, found, "history", bundle.getParent());
    attempt(what, found, "hosts", bundle);
    attempt(what, found, "finish", bundle);
  }

  private void others(String what, List<String> found) {
    String out = "'%s'".formatted(folder.resolve("export"));
    attempt(what, found, "export", bundle, "format", "'openmetrics'", "output", out);
    String run = "{'bundle':'%s'}".formatted(bundle);
    attempt(what, found, "compare", folder, "runs", "[%s,%s]".formatted(run, run));
  }

  private static void attempt(
      String what, List<String> found, String verb, Path directory, String... more) {
    try {
      ask(verb, directory, more);
    } catch (ConfigException plain) {
      // Printed in one line.
    } catch (CallFailure | IOException | RuntimeException | Error e) {
      if (e.getClass() != IOException.class) {
        found.add(verb + " with " + what + ": " + e);
      }
    }
  }

  private JsonObject export(String format) throws CallFailure, IOException {
    String out = "'%s'".formatted(folder.resolve("export"));
    return ask("export", bundle, "format", "'" + format + "'", "output", out);
  }

  private void damage(String name, String right, String wrong) throws IOException {
    String text = Files.readString(bundle.resolve(name));
    assertThat(text).contains(right);
    Files.writeString(bundle.resolve(name), text.replace(right, wrong));
  }

  @Test
  void theMessageNamesFileKeyAndValue() throws Exception {
    damage("run.json", "\"generators\":2", "\"generators\":2000000000");
    String problem =
        "run.json: load.generators: 2000000000 is not a number of generators from 1 to 10000";
    assertThatThrownBy(() -> ask("finish", bundle)).hasMessage(bundle + "/" + problem);
    assertThat(ask("history", bundle.getParent()).get("warnings").toString()).contains(problem);
  }

  @Test
  void anEntryThatIsNoObjectIsNamed() throws IOException {
    damage("run.json", "{\"host\":\"db\",\"port\":1}", "1");
    assertThatThrownBy(() -> export("json"))
        .hasMessage(bundle + "/run.json: server_hosts.0 is not an object");
  }

  /** As of a run that was cut off. */
  @Test
  void withoutAReadableOutcomeTheRunIsInvalid() throws Exception {
    damage("outcome.json", "[\"a note\"]", "[null]");
    JsonObject verdict = ask("finish", bundle).getAsJsonObject("verdict");
    assertThat(verdict.get("code").getAsInt()).isEqualTo(5);
    assertThat(verdict.get("reasons").toString())
        .contains("outcome.json: notes.0: null is not a text");
  }

  /** A weight of 1e-999999999 made a sum of as many digits. */
  @Test
  void aWeightHasFewDigits() throws IOException {
    damage("run.json", "\"update\":100", "\"update\":1e-999999999");
    assertThatThrownBy(() -> ask("finish", bundle)).hasMessageEndingWith("is not a percentage");
  }

  @Test
  void aTransactionThatTheMixLacksIsNamed() throws IOException {
    damage("run.json", "\"update\":100", "\"insert\":100");
    assertThatThrownBy(() -> export("openmetrics"))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("the mix has no update, but the ledger has");
  }
}
