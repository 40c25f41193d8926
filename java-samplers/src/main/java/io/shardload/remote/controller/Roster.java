package io.shardload.remote.controller;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.remote.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The generators of a run, by their numbers. Not thread-safe. */
final class Roster {
  private final List<KnownGenerator> members = new ArrayList<>();

  Roster(List<String> hosts) {
    for (String host : hosts) {
      members.add(new KnownGenerator(members.size(), host));
    }
  }

  List<KnownGenerator> all() {
    return members;
  }

  /** The reports of generators; generators without a report are left out. */
  SortedMap<Integer, JsonObject> said(Function<KnownGenerator, JsonObject> what) {
    SortedMap<Integer, JsonObject> said = new TreeMap<>();
    for (KnownGenerator member : members) {
      if (what.apply(member) != null) {
        said.put(member.number, what.apply(member));
      }
    }
    return said;
  }

  /** Why generators cannot start or continue. */
  SortedMap<Integer, Message.Trouble> troubles() {
    SortedMap<Integer, Message.Trouble> troubles = new TreeMap<>();
    for (KnownGenerator member : members) {
      if (member.trouble != null) {
        troubles.put(member.number, member.trouble);
      }
    }
    return troubles;
  }

  /** Whether no generator is expected to send anything more. */
  boolean isOver() {
    return members.stream().noneMatch(KnownGenerator::isLiving);
  }

  JsonArray status(long nowNanos, Silence silence) {
    JsonArray all = new JsonArray();
    members.forEach(member -> all.add(member.status(nowNanos, silence.silentNanos(member.number))));
    return all;
  }

  /** The abandoned generators. */
  JsonArray givenUp() {
    JsonArray lost = new JsonArray();
    members.stream()
        .filter(member -> !member.isLiving() && member.end == null)
        .forEach(member -> lost.add(member.number));
    return lost;
  }

  /**
   * How the run ended; generators without a final line count as lost from now on.
   *
   * @param trouble whether something else went wrong
   */
  JsonObject end(boolean trouble) {
    JsonArray ended = new JsonArray();
    JsonArray lost = new JsonArray();
    for (KnownGenerator member : members) {
      if (member.end != null) {
        ended.add(member.number);
        continue;
      }
      member.state = member.isLiving() ? KnownGenerator.State.LOST : member.state;
      JsonObject one = new JsonObject();
      one.addProperty("generator", member.number);
      one.addProperty("host", member.host);
      one.addProperty("last_ns", member.reportedNanos());
      member.givenUpNanos.ifPresent(nanos -> one.addProperty("noticed_ns", nanos));
      lost.add(one);
    }
    JsonObject json = new JsonObject();
    json.add("finals", ended);
    json.add("lost", lost);
    json.addProperty("exit", lost.isEmpty() ? (trouble ? 2 : 0) : 5);
    return json;
  }
}
