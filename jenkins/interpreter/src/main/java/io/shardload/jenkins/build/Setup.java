package io.shardload.jenkins.build;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.jenkins.grammar.Nearest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What surrounds a build: the job, the controller, the agent, and commands that are replaced.
 *
 * @param parameters what the build was started with, or null where the job knows no parameters yet
 * @param jobParameters the defaults of the job's own parameters
 * @param stubs results of sh scripts that are not executed, by a regular expression on the script
 * @param builds the result of a build step, by the job's name
 */
public record Setup(
    Path jenkinsfile,
    Path workspace,
    Path archive,
    String job,
    int build,
    Map<String, Object> parameters,
    Map<String, Object> jobParameters,
    Map<String, String> env,
    Map<String, String> credentials,
    Set<String> locksHeld,
    Map<String, Stub> stubs,
    Map<String, Result> builds,
    Result previous,
    Duration softKill,
    Duration remoteTimeout,
    Duration timeoutGrace) {
  private static final Set<String> KEYS =
      Set.of(
          "jenkinsfile",
          "workspace",
          "archive",
          "job",
          "build",
          "parameters",
          "job_parameters",
          "env",
          "credentials",
          "locks_held",
          "stubs",
          "builds",
          "previous_result",
          "plugins",
          "soft_kill_seconds",
          "remote_timeout_seconds",
          "timeout_grace_seconds");

  /** The result of a command that is not executed. */
  public record Stub(int exit, String stdout) {}

  /** Reads a set-up; unknown and missing keys are refused. */
  public static Setup read(Path file) throws IOException {
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    for (String key : json.keySet()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException(
            "%s: unknown key \"%s\"%s".formatted(file, key, Nearest.hint(key, KEYS)));
      }
    }
    Reader reader = new Reader(file, json);
    return new Setup(
        reader.path("jenkinsfile"),
        reader.path("workspace"),
        reader.path("archive"),
        reader.required("job").getAsString(),
        reader.required("build").getAsInt(),
        reader.parameters("parameters"),
        reader.parameters("job_parameters"),
        reader.strings("env"),
        reader.strings("credentials"),
        reader.names("locks_held"),
        reader.stubs(),
        reader.results(),
        json.has("previous_result")
            ? Result.valueOf(json.get("previous_result").getAsString())
            : null,
        reader.seconds("soft_kill_seconds", 5),
        reader.seconds("remote_timeout_seconds", 20),
        reader.seconds("timeout_grace_seconds", 60));
  }

  private record Reader(Path file, JsonObject json) {
    JsonElement required(String key) {
      if (!json.has(key)) {
        throw new IllegalArgumentException("%s: \"%s\" is missing".formatted(file, key));
      }
      return json.get(key);
    }

    JsonElement optional(String key, String otherwise) {
      boolean given = json.has(key) && !json.get(key).isJsonNull();
      return given ? json.get(key) : JsonParser.parseString(otherwise);
    }

    Path path(String key) {
      return Path.of(required(key).getAsString()).toAbsolutePath().normalize();
    }

    Duration seconds(String key, double otherwise) {
      double seconds = json.has(key) ? json.get(key).getAsDouble() : otherwise;
      return Duration.ofMillis(Math.round(seconds * 1000));
    }

    Set<String> names(String key) {
      Set<String> names = new TreeSet<>();
      optional(key, "[]").getAsJsonArray().forEach(name -> names.add(name.getAsString()));
      return names;
    }

    Map<String, String> strings(String key) {
      Map<String, String> strings = new LinkedHashMap<>();
      optional(key, "{}")
          .getAsJsonObject()
          .entrySet()
          .forEach(entry -> strings.put(entry.getKey(), entry.getValue().getAsString()));
      return strings;
    }

    Map<String, Object> parameters(String key) {
      if (!json.has(key) || json.get(key).isJsonNull()) {
        return null;
      }
      Map<String, Object> values = new LinkedHashMap<>();
      for (Map.Entry<String, JsonElement> entry : json.get(key).getAsJsonObject().entrySet()) {
        boolean isBoolean = entry.getValue().getAsJsonPrimitive().isBoolean();
        values.put(
            entry.getKey(),
            isBoolean ? (Object) entry.getValue().getAsBoolean() : entry.getValue().getAsString());
      }
      return values;
    }

    Map<String, Stub> stubs() {
      Map<String, Stub> stubs = new LinkedHashMap<>();
      for (Map.Entry<String, JsonElement> entry :
          optional("stubs", "{}").getAsJsonObject().entrySet()) {
        JsonObject stub = entry.getValue().getAsJsonObject();
        int exit = stub.has("exit") ? stub.get("exit").getAsInt() : 0;
        String stdout = stub.has("stdout") ? stub.get("stdout").getAsString() : "";
        stubs.put(entry.getKey(), new Stub(exit, stdout));
      }
      return stubs;
    }

    Map<String, Result> results() {
      Map<String, Result> results = new LinkedHashMap<>();
      strings("builds").forEach((job, result) -> results.put(job, Result.valueOf(result)));
      return results;
    }
  }
}
