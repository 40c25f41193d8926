package io.shardload.remote.controller;

import com.google.gson.JsonObject;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;

/** Waits for the first message of every generator, and reports what is wrong with silent ones. */
final class RollCall {
  /**
   * A rehearsal takes a second or two, on an overloaded host over ten: it reports after JMeter has
   * made the engine idle again.
   */
  private static final Duration REHEARSAL_PATIENCE = Duration.ofSeconds(30);

  /** How long other generators may take after one has reported a problem. */
  private static final Duration OTHERS_PATIENCE = Duration.ofSeconds(2);

  private static final String CANNOT_REPORT =
      "its generator cannot report to Redis at %s; engine.log in the host's folder of runs has the"
          + " reason (password, firewall)";

  private final HostsSetting setting;
  private final EngineControl engines;
  private final Meeting meeting;
  private final String redis;
  private final Time time;

  /**
   * @param redis where the generators report
   */
  RollCall(HostsSetting setting, EngineControl engines, Meeting meeting, String redis, Time time) {
    this.setting = setting;
    this.engines = engines;
    this.meeting = meeting;
    this.redis = redis;
    this.time = time;
  }

  /** Waits until every generator has reported; one that is opening the target is not silent. */
  SortedMap<Integer, JsonObject> await(
      Function<KnownGenerator, JsonObject> what, boolean rehearsal) {
    long begin = time.nanoTime();
    long look = begin + REHEARSAL_PATIENCE.toNanos();
    long troubled = Long.MAX_VALUE;
    while (true) {
      SortedMap<Integer, JsonObject> said = meeting.said(what);
      SortedMap<Integer, Message.Trouble> troubles = meeting.troubles();
      long now = time.nanoTime();
      if (!troubles.isEmpty()) {
        troubled = Math.min(troubled, now);
        // A problem on one host often affects the other hosts, too.
        if (said.size() + troubles.size() >= setting.hosts().size()
            || now - troubled >= OTHERS_PATIENCE.toNanos()) {
          refuse(troubles);
        }
      }
      if (meeting.trouble() != null) {
        throw new HostsException(2, List.of(meeting.trouble()));
      }
      if (said.size() == setting.hosts().size()) {
        return said;
      }
      HostsException.refuse(2, silent(said.keySet(), now - begin));
      if (rehearsal && now >= look) {
        HostsException.refuse(1, idleAndSilent(said.keySet()));
        look = now + REHEARSAL_PATIENCE.toNanos();
      }
      time.pause();
    }
  }

  private List<String> silent(Set<Integer> present, long waitedNanos) {
    List<String> silent = new ArrayList<>();
    for (int g = 0; g < setting.hosts().size(); g++) {
      long since = Math.min(waitedNanos, meeting.silentNanos(g));
      if (!present.contains(g) && since >= Timing.HELLO_PATIENCE.toNanos()) {
        silent.add(
            setting.line(
                g,
                "no message from its generator for " + Timing.HELLO_PATIENCE.toSeconds() + " s"));
      }
    }
    return silent;
  }

  /** Generators whose rehearsal has ended without a report: they do not reach Redis. */
  private List<String> idleAndSilent(Set<Integer> present) {
    return engines.probe().entrySet().stream()
        .filter(probe -> !present.contains(probe.getKey()))
        .filter(probe -> probe.getValue().state() == EngineControl.State.IDLE)
        .map(probe -> setting.line(probe.getKey(), CANNOT_REPORT.formatted(redis)))
        .toList();
  }

  private void refuse(SortedMap<Integer, Message.Trouble> troubles) {
    boolean wrong = troubles.values().stream().anyMatch(trouble -> trouble.exit() == 1);
    HostsException.refuse(
        wrong ? 1 : 2,
        troubles.values().stream().map(t -> setting.line(t.generator(), t.message())).toList());
  }
}
