package io.shardload.jenkins.run;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.jenkins.build.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A pipeline in a folder of its own, for tests. */
final class Pipeline {
  private static final String HEAD =
      "pipeline {\n  agent any\n  options { skipDefaultCheckout() }\n";

  final Path folder;
  final Path workspace;
  final JsonObject setup = new JsonObject();
  private JsonObject record;

  Pipeline(Path folder) {
    this.folder = folder;
    workspace = folder.resolve("workspace");
    setup.addProperty("jenkinsfile", folder.resolve("Jenkinsfile").toString());
    setup.addProperty("workspace", workspace.toString());
    setup.addProperty("archive", folder.resolve("archive").toString());
    setup.addProperty("job", "shardload/postgresql/citus");
    setup.addProperty("build", 7);
    setup.addProperty("soft_kill_seconds", 1);
  }

  /** A pipeline of these sections after agent and options. */
  Pipeline sections(String text) throws IOException {
    return file(HEAD + text + "\n}\n");
  }

  /** A pipeline of one stage with these steps. */
  Pipeline steps(String text) throws IOException {
    return sections("stages { stage('one') { steps {\n" + text + "\n} } }");
  }

  Pipeline file(String text) throws IOException {
    Files.writeString(folder.resolve("Jenkinsfile"), text);
    return this;
  }

  Pipeline set(String key, String json) {
    setup.add(key, JsonParser.parseString(json));
    return this;
  }

  Runner runner() throws IOException {
    Path file = folder.resolve("setup.json");
    Files.writeString(file, setup.toString());
    return new Runner(Setup.read(file), folder.resolve("record.json"));
  }

  Pipeline run() throws IOException, InterruptedException {
    return run(runner());
  }

  Pipeline run(Runner runner) throws IOException, InterruptedException {
    runner.run();
    record =
        JsonParser.parseString(Files.readString(folder.resolve("record.json"))).getAsJsonObject();
    return this;
  }

  String result() {
    return text("result");
  }

  /** A value of the record, or "null". */
  String text(String key) {
    JsonElement value = record.get(key);
    return value.isJsonPrimitive() ? value.getAsString() : value.toString();
  }

  JsonObject object(String key) {
    return record.getAsJsonObject(key);
  }

  List<String> list(String key) {
    return strings(record.getAsJsonArray(key));
  }

  /** The stages as {@code name STATUS}. */
  List<String> stages() {
    List<String> stages = new ArrayList<>();
    for (JsonElement stage : record.getAsJsonArray("stages")) {
      stages.add(field(stage, "name") + " " + field(stage, "status"));
    }
    return stages;
  }

  /**
   * The post conditions that ran, as {@code stage condition} or, of the pipeline, {@code
   * condition}.
   */
  List<String> post() {
    List<String> conditions = new ArrayList<>();
    for (JsonElement entry : record.getAsJsonArray("post")) {
      boolean ofStage = !entry.getAsJsonObject().get("stage").isJsonNull();
      conditions.add((ofStage ? field(entry, "stage") + " " : "") + field(entry, "condition"));
    }
    return conditions;
  }

  /** The names of the steps of a stage. */
  List<String> steps(int stage) {
    List<String> steps = new ArrayList<>();
    JsonElement entry = record.getAsJsonArray("stages").get(stage);
    entry.getAsJsonObject().getAsJsonArray("steps").forEach(step -> steps.add(field(step, "step")));
    return steps;
  }

  String log() throws IOException {
    return Files.readString(Path.of(text("log")));
  }

  /** A file of the workspace. */
  String read(String file) throws IOException {
    return Files.readString(workspace.resolve(file));
  }

  private static String field(JsonElement object, String key) {
    return object.getAsJsonObject().get(key).getAsString();
  }

  private static List<String> strings(JsonArray array) {
    List<String> strings = new ArrayList<>();
    array.forEach(element -> strings.add(element.getAsString()));
    return strings;
  }
}
