package io.shardload.parity;

import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The comparison of systems, in one thread: reads on the loaded data, then each write, followed by
 * a comparison of the state, then the reads again. Calls have the same arguments on each system.
 * There is no reference: each system is compared with the first one, and the rows of the entity
 * with what the folder declares.
 */
public final class Parity {
  /** Rows of a call are held in memory, and a state as well. */
  private static final long MOST_ROWS = 200_000;

  /**
   * The result.
   *
   * @param load the state after the load
   * @param transactions by their names; a transaction that was never called was not compared
   */
  public record Result(Line load, List<Line> transactions) {
    /** Every transaction was compared, and no difference was found. */
    public boolean equal() {
      return load.difference() == null
          && transactions.stream()
              .filter(line -> line.apart().isEmpty())
              .allMatch(line -> line.calls() > 0 && line.difference() == null);
    }
  }

  private final List<ComparedTarget> sides;
  private final long seed;
  private final int calls;
  private final Progress progress;
  private final Map<String, Line> lines = new TreeMap<>();
  private long done;

  /**
   * @param sides with empty scratch places, two or more
   * @param calls of each transaction on each side
   */
  public Parity(List<ComparedTarget> sides, long seed, int calls, Progress progress) {
    this.sides = List.copyOf(sides);
    this.seed = seed;
    this.calls = calls;
    this.progress = progress;
    sides.forEach(side -> side.transactions().forEach(name -> lines.put(name, new Line(name))));
    for (Line line : lines.values()) {
      List<ComparedTarget> having =
          sides.stream().filter(side -> side.transactions().contains(line.name())).toList();
      if (having.size() < sides.size()) {
        line.isOnlyOf(having.stream().map(ComparedTarget::name).toList());
      }
    }
    List<Runnable> checks = new ArrayList<>();
    sides.forEach(side -> checks.add(() -> refuseLarge(side)));
    shared().forEach(line -> checks.add(() -> refuseIncomparable(line)));
    ConfigException.all(checks.toArray(new Runnable[0]));
    if (shared().isEmpty()) {
      throw new ConfigException("workload.folder", "no transaction has statements for all targets");
    }
  }

  private static void refuseLarge(ComparedTarget side) {
    if (side.model().documents() > MOST_ROWS) {
      throw new ConfigException(
          "workload.data.documents",
          "makes %,d rows for %s, more than parity compares in memory (at most %,d)"
              .formatted(side.model().documents(), side.name(), MOST_ROWS));
    }
  }

  /** A read needs an answer, of which some names are the same on each system. */
  private void refuseIncomparable(Line line) {
    if (!writes(line) && common(line.name()).isEmpty()) {
      throw new ConfigException(
          "workload.transactions." + line.name() + ".answer",
          "lists no column for all targets: parity compares what it lists");
    }
  }

  /** The names that the answers of a transaction have on all sides. */
  private Set<String> common(String name) {
    Set<String> common = new TreeSet<>(sides.get(0).compared(name));
    sides.forEach(side -> common.retainAll(side.compared(name)));
    return common;
  }

  /** The transactions of all sides. */
  private List<Line> shared() {
    return lines.values().stream().filter(line -> line.apart().isEmpty()).toList();
  }

  private boolean writes(Line line) {
    return sides.stream().anyMatch(side -> side.transaction(line.name()).writes());
  }

  /**
   * Loads, calls and compares; once per object.
   *
   * @throws CallFailure a target could not be loaded or read; failures of transactions are part of
   *     the comparison
   */
  public Result run() throws CallFailure {
    for (ComparedTarget side : sides) {
      side.load(progress);
    }
    Line load = new Line("load");
    if (statesAgree(load, "after the load")) {
      compare();
    }
    return new Result(load, List.copyOf(lines.values()));
  }

  private void compare() throws CallFailure {
    List<Line> reads = shared().stream().filter(line -> !writes(line)).toList();
    for (Line line : reads) {
      call(line, 0, (calls + 1) / 2);
    }
    for (Line line : shared().stream().filter(this::writes).toList()) {
      call(line, 0, calls);
      // After a wrong write, the state shows nothing about the next write.
      if (line.difference() != null
          || !statesAgree(line, "state after " + line.calls() + " calls")) {
        return;
      }
    }
    for (Line line : reads) {
      call(line, (calls + 1) / 2, calls);
    }
  }

  private void call(Line line, int from, int end) {
    Set<String> common = common(line.name());
    int stream = new ArrayList<>(lines.keySet()).indexOf(line.name());
    for (int i = from; i < end; i++) {
      long index = (long) i * lines.size() + stream;
      Map<String, Answered> answers = new LinkedHashMap<>();
      for (ComparedTarget side : sides) {
        answers.put(side.name(), side.call(line.name(), seed, index).of(common));
      }
      compare(line, answers);
      progress.step("compare", ++done, (long) calls * shared().size(), "calls");
      if (line.difference() != null && writes(line)) {
        return;
      }
    }
  }

  private void compare(Line line, Map<String, Answered> answers) {
    Answered first = answers.get(sides.get(0).name());
    boolean isLoose = false;
    Map<String, String> words = new LinkedHashMap<>();
    for (ComparedTarget side : sides.subList(1, sides.size())) {
      Answered other = answers.get(side.name());
      List<String> difference = Answered.difference(first, other);
      if (difference != null) {
        words.putIfAbsent(sides.get(0).name(), difference.get(0));
        words.put(side.name(), difference.get(1));
      } else {
        isLoose |= Answered.difference(first.whole(), other.whole()) != null;
      }
    }
    line.called(first.rows().size(), isLoose);
    if (!words.isEmpty()) {
      line.differs("call " + line.calls(), sides.get(0).arguments(), words);
    }
  }

  private boolean statesAgree(Line line, String when) throws CallFailure {
    Map<String, String> words = new LinkedHashMap<>();
    Map<String, String> first = null;
    boolean agree = true;
    for (ComparedTarget side : sides) {
      Map<String, String> state = side.state();
      first = first == null ? state : first;
      String wrong = side.wrong(state, first);
      agree &= wrong.isEmpty();
      words.put(side.name(), wrong.isEmpty() ? Answered.count(state.size()) : wrong);
    }
    if (!agree) {
      line.differs(when, "", words);
    }
    return agree;
  }
}
