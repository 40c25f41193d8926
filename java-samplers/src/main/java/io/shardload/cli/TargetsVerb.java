package io.shardload.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.Reachability;
import io.shardload.driver.Reachability.Answer;
import io.shardload.driver.TargetConfig;
import io.shardload.generator.RunConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whether the servers of targets answer; asked with sections {@code target} by their names. {@code
 * ready} says that every server of a target answers, or that the target has no server to ask.
 */
final class TargetsVerb {
  private final Reachability reachability;
  private final Duration timeout;
  private final Map<String, Subject> subjects = new LinkedHashMap<>();

  /** What to ask, or the answer for a target without a server. */
  private record Subject(Driver driver, TargetConfig target, Hosts hosts, Answer answer) {
    static Subject answered(String answer, boolean ready) {
      return new Subject(null, null, null, new Answer(answer, ready));
    }
  }

  private TargetsVerb(Duration timeout) {
    this.reachability = new Reachability(timeout);
    this.timeout = timeout;
  }

  static JsonObject run(JsonObject request) {
    double seconds = request.get("timeout_seconds").getAsDouble();
    TargetsVerb verb = new TargetsVerb(Duration.ofMillis(Math.round(seconds * 1000)));
    JsonObject sections = request.getAsJsonObject("targets");
    JsonObject answers = new JsonObject();
    sections.asMap().forEach(verb::ask);
    sections.asMap().forEach((name, section) -> answers.add(name, verb.answer(name, section)));
    JsonObject ok = new JsonObject();
    ok.add("targets", answers);
    return ok;
  }

  private void ask(String name, JsonElement section) {
    Subject subject;
    try {
      subject = subject(section.getAsJsonObject());
    } catch (ConfigException e) {
      subject = Subject.answered("no, %s: %s".formatted(e.key(), e.getMessage()), false);
    }
    if (subject.driver() != null) {
      reachability.ask(subject.driver(), subject.hosts());
    }
    subjects.put(name, subject);
  }

  private Answer ofServers(Subject subject) throws InterruptedException {
    Answer answer = reachability.answer(subject.driver(), subject.hosts());
    String lost = answer.complete() ? subject.driver().lostBehind(subject.target(), timeout) : "";
    return lost.isEmpty() ? answer : new Answer("no, " + lost, false);
  }

  private static Subject subject(JsonObject section) {
    TargetConfig target = TargetConfig.read(new Options("target", section), new JsonObject());
    Driver driver = RunConfig.driver(target.driver());
    if (!target.embedded().isEmpty()) {
      return Subject.answered("started when needed", true);
    }
    Optional<Hosts> hosts = driver.hosts(target.url());
    return hosts.isEmpty()
        ? Subject.answered("no server needed", true)
        : new Subject(driver, target, hosts.get(), null);
  }

  private JsonObject answer(String name, JsonElement section) {
    JsonObject json = new JsonObject();
    Subject subject = subjects.get(name);
    try {
      Answer answer = subject.driver() == null ? subject.answer() : ofServers(subject);
      json.addProperty("answer", answer.text());
      json.addProperty("ready", answer.complete());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      json.addProperty("answer", "interrupted");
    }
    JsonElement embedded = section.getAsJsonObject().get("embedded");
    if (embedded != null && embedded.isJsonPrimitive()) {
      json.addProperty("built_in", EmbeddedServers.title(embedded.getAsString()));
    }
    return json;
  }
}
