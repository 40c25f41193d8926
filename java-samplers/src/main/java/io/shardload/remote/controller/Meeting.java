package io.shardload.remote.controller;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.CollectedFiles;
import io.shardload.bundle.json.Json;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.PackedSecond;
import io.shardload.remote.wire.Timing;
import io.shardload.remote.wire.WireDecoder;
import io.shardload.remote.wire.WireException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Reads the messages of a run's generators, and notices silent generators. {@link #tick} does the
 * work, called several times a second by one thread; everything else may be called by any thread.
 */
final class Meeting {
  private static final Logger LOG = Logger.getLogger(Meeting.class.getName());
  private static final long NOT_STARTED = Long.MAX_VALUE;
  private static final int MOST_BATCHES = 8;
  private final ControllerKeys point;
  private final Time time;
  private final boolean continueOnLoss;
  private final Roster roster;
  private final Silence silence;
  private final News news = new News();
  private HostsRun.Collection collection;
  private CommonWarmUp warmUp;
  private long startNanos = NOT_STARTED;
  private long beatNanos;
  private long answeredNanos;
  private boolean othersStopped;

  Meeting(ControllerKeys point, List<String> hosts, boolean continueOnLoss, Time time) {
    this.point = point;
    this.time = time;
    this.continueOnLoss = continueOnLoss;
    this.roster = new Roster(hosts);
    this.silence = new Silence(hosts.size());
    this.beatNanos = time.nanoTime();
    this.answeredNanos = beatNanos;
  }

  /** Sends the beat if it is due, reads new messages, and looks for silent generators. */
  synchronized void tick() {
    try {
      beat();
      if (readAll()) {
        silence.upToDate(answeredNanos);
        noticeLosses();
        if (collection != null) {
          collection.writeOverdue(answeredNanos - startNanos);
          boolean busy = roster.all().stream().anyMatch(KnownGenerator::isCompiling);
          warmUp.decide(answeredNanos - startNanos, busy, point::prolong);
        }
      }
    } catch (RedisException e) {
      silence.interrupted();
      if (time.nanoTime() - answeredNanos >= Timing.SILENCE.toNanos()) {
        news.trouble("Redis no longer answers: " + e.getMessage());
      }
    } catch (IOException | UncheckedIOException e) {
      collectionFailed("cannot write the run's records: " + e);
    } catch (RuntimeException e) {
      LOG.log(Level.SEVERE, "cannot process the generators' reports", e);
      collectionFailed("cannot process the generators' reports: " + e);
    }
  }

  private void collectionFailed(String why) {
    collection = null;
    news.trouble(why);
    point.stop("records-failed");
  }

  private void beat() {
    long now = time.nanoTime();
    if (now - beatNanos < Timing.EXCHANGE.toNanos()) {
      return;
    }
    beatNanos = now;
    if (!point.beat()) {
      news.trouble("Redis at " + point.address() + " has lost the data of the run");
    }
  }

  /** Reads new messages; false if there are too many for one tick. */
  private boolean readAll() throws IOException {
    for (int batch = 0; batch < MOST_BATCHES; batch++) {
      int size = readBatch();
      answeredNanos = time.nanoTime();
      if (size < ControllerKeys.BATCH) {
        return true;
      }
      beat();
    }
    return false;
  }

  private int readBatch() throws IOException {
    List<Redis.StreamEntry> entries = point.read();
    for (Redis.StreamEntry entry : entries) {
      take(entry.message());
    }
    if (collection != null) {
      collection.writeComplete();
    }
    return entries.size();
  }

  private void take(byte[] bytes) throws IOException {
    try {
      PackedSecond second = PackedSecond.read(bytes);
      if (second == null) {
        take(WireDecoder.decode(bytes));
      } else if (spoke(second.generator()) && collection != null) {
        protect(roster.all().get(second.generator()), () -> take(second));
      }
    } catch (WireException e) {
      news.trouble("a generator sent an unreadable message: " + e.getMessage());
      point.stop("bad-message");
    }
  }

  /** Whether an awaited generator sent a message; messages of abandoned generators do not count. */
  private boolean spoke(int generator) {
    if (generator >= roster.all().size()) {
      throw new WireException("there is no generator " + generator);
    }
    silence.spoke(generator);
    return roster.all().get(generator).isLiving();
  }

  private void take(PackedSecond second) throws IOException {
    if (collection.second(second)) {
      roster.all().get(second.generator()).reported(second);
    }
  }

  private void take(Message message) throws IOException {
    if (!spoke(message.generator())) {
      return;
    }
    KnownGenerator member = roster.all().get(message.generator());
    if (message instanceof Message.Hello hello) {
      if (Json.flag(hello.facts(), HelloFacts.REHEARSAL)) {
        member.rehearsal = hello.facts();
      } else {
        member.hello = hello.facts();
      }
    } else if (message instanceof Message.Trouble trouble) {
      troubled(member, trouble);
    } else if (message instanceof Message.Segments piece && collection != null) {
      protect(member, () -> collection.segments(piece));
    } else if (message instanceof Message.Final last && collection != null) {
      protect(member, () -> end(member, last));
    }
  }

  private void end(KnownGenerator member, Message.Final last) throws IOException {
    collection.end(last);
    member.end = last.line();
    member.state = KnownGenerator.State.ENDED;
  }

  private interface Action {
    void run() throws IOException;
  }

  private void protect(KnownGenerator member, Action action) throws IOException {
    try {
      action.run();
    } catch (CollectedFiles.GapException | WireException e) {
      member.state = KnownGenerator.State.FAILED;
      giveUp(member, "failed: " + e.getMessage());
    }
  }

  /**
   * The generator itself reported why it cannot continue; its reports are accepted until its end.
   */
  private void troubled(KnownGenerator member, Message.Trouble trouble) {
    member.trouble = trouble;
    if (collection != null) {
      news.note(member.name() + " cannot continue: " + trouble.message());
      collection.error(member.number, trouble.message());
      stopOthers();
    }
  }

  private void stopOthers() {
    if (!continueOnLoss && startNanos != NOT_STARTED && !othersStopped) {
      othersStopped = true;
      news.note("the other generators are being stopped");
      point.stop("generator-lost");
    }
  }

  private void noticeLosses() {
    for (KnownGenerator member : roster.all()) {
      if (member.hello != null && member.isLiving() && silence.isLost(member.number)) {
        member.state = KnownGenerator.State.LOST;
        giveUp(
            member,
            "was lost: no message from it for %.1f s"
                .formatted(silence.silentNanos(member.number) / 1e9));
      }
    }
  }

  private void giveUp(KnownGenerator member, String why) {
    news.note(member.name() + " " + why);
    if (collection != null) {
      collection.gone(member.number);
      member.givenUpNanos = OptionalLong.of(time.nanoTime() - startNanos);
    }
    point.lost(member.number);
    stopOthers();
  }

  /**
   * Starts collecting and agrees on the start in one step, so that no message is processed in
   * between.
   */
  synchronized void start(
      HostsRun.Collection into, LoadConfig load, long startMicros, long startAtNanos) {
    collection = into;
    warmUp = new CommonWarmUp(load);
    startNanos = startAtNanos;
    roster.all().stream()
        .filter(KnownGenerator::isLiving)
        .forEach(member -> member.state = KnownGenerator.State.RUNNING);
    point.start(startMicros);
  }

  /** When the load started; empty before that. */
  synchronized OptionalLong startNanos() {
    return startNanos == NOT_STARTED ? OptionalLong.empty() : OptionalLong.of(startNanos);
  }

  synchronized void stop(String reason) {
    point.stop(reason);
  }

  synchronized SortedMap<Integer, JsonObject> said(Function<KnownGenerator, JsonObject> what) {
    return roster.said(what);
  }

  synchronized SortedMap<Integer, Message.Trouble> troubles() {
    return roster.troubles();
  }

  synchronized long silentNanos(int generator) {
    return silence.silentNanos(generator);
  }

  /** The problem of the meeting itself, or null. */
  synchronized String trouble() {
    return news.trouble();
  }

  /** Whether no generator is expected to send anything more. */
  synchronized boolean isOver() {
    return roster.isOver() || startNanos == NOT_STARTED;
  }

  synchronized boolean isCollecting() {
    return collection != null;
  }

  synchronized boolean isCutOff() {
    return time.nanoTime() - answeredNanos >= Timing.SILENCE.toNanos();
  }

  /** The progress of all generators; notes are returned once. */
  synchronized JsonObject status() {
    long now = startNanos == NOT_STARTED ? 0 : time.nanoTime() - startNanos;
    JsonObject json = new JsonObject();
    json.add("generators", roster.status(now, silence));
    json.addProperty("over", roster.isOver() || news.trouble() != null);
    json.add("lost", roster.givenUp());
    return news.addTo(json);
  }

  /** Writes what is left; generators without a final line count as lost from now on. */
  synchronized JsonObject finish() throws IOException {
    JsonObject json = roster.end(news.trouble() != null);
    if (collection != null) {
      try (HostsRun.Collection closing = collection) {
        collection = null;
        closing.finish();
      }
    }
    return news.addTo(json);
  }

  /** Messages about a run for the console. Not thread-safe. */
  private static final class News {
    private final List<String> notes = new ArrayList<>();
    private String trouble;

    void note(String text) {
      notes.add(text);
    }

    /**
     * The meeting itself does not work; only the first reason counts, because others may follow
     * from it.
     */
    void trouble(String why) {
      if (trouble == null) {
        trouble = why;
        notes.add(why);
      }
    }

    /** The problem of the meeting itself; null if there is none. */
    String trouble() {
      return trouble;
    }

    /** Adds {@code trouble} and {@code notes}; notes are given once. */
    JsonObject addTo(JsonObject json) {
      json.add("trouble", trouble == null ? JsonNull.INSTANCE : new JsonPrimitive(trouble));
      json.add("notes", Json.strings(notes));
      notes.clear();
      return json;
    }
  }

  /** The generators of a run, by their numbers. Not thread-safe. */
  private static final class Roster {
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
      members.forEach(
          member -> all.add(member.status(nowNanos, silence.silentNanos(member.number))));
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

  /**
   * How long each generator has been silent. Time in which the controller did not read, because
   * Redis did not answer or because the controller itself stalled, does not count. Not thread-safe.
   */
  private static final class Silence {
    /** Between two readings that follow each other. */
    private static final long MOST_BETWEEN_NANOS = 2_000_000_000L;

    private static final long NEVER = Long.MIN_VALUE;

    private final long[] silentNanos;
    private final boolean[] spoke;
    private long lastReadNanos = NEVER;

    Silence(int generators) {
      this.silentNanos = new long[generators];
      this.spoke = new boolean[generators];
    }

    /** A message of this generator was read. */
    void spoke(int generator) {
      spoke[generator] = true;
    }

    /** Everything that generators had sent by now was read. */
    void upToDate(long nowNanos) {
      long since = lastReadNanos == NEVER ? 0 : nowNanos - lastReadNanos;
      for (int g = 0; g < silentNanos.length; g++) {
        if (spoke[g]) {
          silentNanos[g] = 0;
        } else if (since <= MOST_BETWEEN_NANOS) {
          silentNanos[g] += since;
        }
      }
      Arrays.fill(spoke, false);
      lastReadNanos = nowNanos;
    }

    /** Redis did not answer. */
    void interrupted() {
      lastReadNanos = NEVER;
    }

    long silentNanos(int generator) {
      return silentNanos[generator];
    }

    boolean isLost(int generator) {
      return silentNanos[generator] >= Timing.SILENCE.toNanos();
    }
  }
}
