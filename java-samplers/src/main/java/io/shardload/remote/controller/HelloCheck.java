package io.shardload.remote.controller;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.remote.wire.HelloFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Compares the facts that generators report: with the controller, and with each other. */
record HelloCheck(List<String> hosts) {
  /** Facts that must be the same as on the controller, in words. */
  private static final Map<String, String> AGREED = new LinkedHashMap<>();

  /** Facts that must be equal on all generators. */
  private static final Map<String, String> FOUND = new LinkedHashMap<>();

  static {
    AGREED.put(HelloFacts.RUN, "run id");
    AGREED.put(HelloFacts.GENERATORS, "number of generators");
    AGREED.put(HelloFacts.JMETER, "JMeter version");
    AGREED.put(HelloFacts.PLUGIN_SHA256, "hash of the plugin shardload-jmeter.jar");
    AGREED.put(HelloFacts.SCHEDULE_HASH, "hash of the schedule");
    FOUND.put(HelloFacts.HIGH_WATER, "high-water mark of the data set");
    FOUND.put(HelloFacts.GENERATION, "generation of the data set");
  }

  /** A larger offset of a clock is noted; times are corrected in any case. */
  private static final double NOTED_OFFSET_MILLIS = 100;

  /**
   * The facts in which generators differ from the controller.
   *
   * @param own the facts of the controller; a fact that it does not know must be the same on all
   *     generators
   * @return one line for each host and fact
   */
  List<String> compare(JsonObject own, SortedMap<Integer, JsonObject> hellos) {
    List<String> problems = new ArrayList<>();
    AGREED.forEach(
        (fact, words) -> {
          if (own.has(fact)) {
            hellos.forEach(
                (g, facts) -> compare(g, words, text(facts, fact), text(own, fact), problems));
          } else {
            alike(fact, words, hellos, problems);
          }
        });
    return problems;
  }

  private void compare(int generator, String words, String theirs, String own, List<String> to) {
    if (!theirs.equals(own)) {
      to.add(
          "%s: the %s is %s, but %s on the controller"
              .formatted(name(generator), words, theirs, own));
    }
  }

  /** The facts in which generators differ from each other; one line for each fact. */
  List<String> compareFound(SortedMap<Integer, JsonObject> hellos) {
    List<String> problems = new ArrayList<>();
    FOUND.forEach((fact, words) -> alike(fact, words, hellos, problems));
    return problems;
  }

  private void alike(
      String fact, String words, SortedMap<Integer, JsonObject> hellos, List<String> problems) {
    boolean same = hellos.values().stream().map(facts -> text(facts, fact)).distinct().count() <= 1;
    if (!same) {
      String all =
          hellos.entrySet().stream()
              .map(one -> text(one.getValue(), fact) + " on " + name(one.getKey()))
              .collect(Collectors.joining(", "));
      problems.add("the %s differs: %s".formatted(words, all));
    }
  }

  /** Notes for people; none of them stops the run. */
  List<String> notes(SortedMap<Integer, JsonObject> hellos) {
    List<String> notes = new ArrayList<>();
    hellos.forEach(
        (generator, facts) -> {
          double offset = number(facts, HelloFacts.CLOCK_OFFSET_MILLIS);
          if (Math.abs(offset) >= NOTED_OFFSET_MILLIS) {
            notes.add(
                "the clock of %s is %.1f s %s the clock of Redis; shardload corrects its times"
                    .formatted(
                        name(generator),
                        Math.abs(offset) / 1000,
                        offset > 0 ? "ahead of" : "behind"));
          }
        });
    alike(HelloFacts.JAVA, "Java version", hellos, notes);
    return notes;
  }

  private String name(int generator) {
    return hosts.get(generator);
  }

  private static double number(JsonObject facts, String fact) {
    JsonElement value = facts.get(fact);
    return value == null || value.isJsonNull() ? 0 : value.getAsDouble();
  }

  private static String text(JsonObject facts, String fact) {
    JsonElement value = facts.get(fact);
    return value == null || value.isJsonNull() ? "unknown" : value.getAsString();
  }
}
