package io.shardload.parity;

import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The comparison itself, in one thread: finds on the loaded data, then each write, followed by a
 * comparison of the whole state, then the finds again on the data after the writes. A call is
 * prepared once, by the workload itself, and run on every side. The reference comes last, so that
 * the keys record the right outcome.
 */
public final class Parity {
  /** The reference holds all documents in memory. */
  private static final long MOST_DOCUMENTS = 50_000;

  private static final int RANGE = 1024;

  /**
   * The result.
   *
   * @param load the state after the load
   * @param transactions in the workload's order; a transaction that was never called was not
   *     compared
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

  private final DocumentStoreModel model;
  private final long seed;
  private final int calls;
  private final Progress progress;
  private final Reference reference = new Reference();
  private final Recorder right = new Recorder(reference);
  private final Map<ComparedTarget, Recorder> recorders = new LinkedHashMap<>();
  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final Keys keys;
  private long done;

  /**
   * @param sides with empty tables, two or more
   * @param calls of each transaction on each side, in addition to the edge cases
   */
  public Parity(
      DocumentStoreModel model,
      List<ComparedTarget> sides,
      long seed,
      int calls,
      Progress progress) {
    if (model.documents() > MOST_DOCUMENTS) {
      throw new ConfigException(
          "workload.data.documents",
          model.documents()
              + " is more than parity compares in memory (at most "
              + MOST_DOCUMENTS
              + ")");
    }
    this.model = model;
    this.seed = seed;
    this.calls = calls;
    this.progress = progress;
    sides.forEach(side -> recorders.put(side, new Recorder(side.store())));
    new DocumentStoreWorkload().transactions().forEach(name -> lines.put(name, new Line(name)));
    long documents = model.documents();
    this.keys = Keys.alone(States.loaded(documents), model.ranks(), documents, RANGE);
  }

  /**
   * Loads, calls and compares; once per object.
   *
   * @throws CallFailure a target could not be loaded or read; failures of transactions are part of
   *     the comparison
   */
  public Result run() throws CallFailure {
    Line load = new Line("load");
    load();
    if (statesAgree(load, "after the load")) {
      compare();
    }
    return new Result(load, List.copyOf(lines.values()));
  }

  private void compare() throws CallFailure {
    Map<String, List<Edges.Probe>> probes = Edges.probes();
    List<Line> finds =
        lines.values().stream().filter(l -> !model.transaction(l.name()).writes()).toList();
    for (Line line : finds) {
      call(line, 0, (calls + 1) / 2);
      for (Edges.Probe probe : probes.get(line.name())) {
        probe(line, probe);
      }
    }
    boolean agree = true;
    for (String name : List.of("insert", "update", "delete")) {
      Line line = lines.get(name);
      call(line, 0, calls);
      for (Edges.Probe probe : probes.get(name)) {
        probe(line, probe);
      }
      // After a wrong write, the state shows nothing about the next write.
      agree = statesAgree(line, "state after " + line.calls() + " calls");
      if (!agree) {
        break;
      }
    }
    if (agree) {
      for (Line line : finds) {
        call(line, (calls + 1) / 2, calls);
      }
    }
  }

  private void load() throws CallFailure {
    List<Document> documents =
        Stream.concat(
                LongStream.range(0, model.documents()).mapToObj(o -> model.content().at(o, 0)),
                Edges.documents().stream())
            .toList();
    for (Document document : documents) {
      reference.insert(document, Phases.NONE);
    }
    for (ComparedTarget side : recorders.keySet()) {
      side.admin()
          .load(
              documents.iterator(),
              rows -> progress.step("load " + side.name(), rows, documents.size(), "documents"));
    }
  }

  private void call(Line line, int from, int end) throws CallFailure {
    var transaction = model.transaction(line.name());
    int stream = new ArrayList<>(lines.keySet()).indexOf(line.name());
    Draws draws = new Draws();
    for (int i = from; i < end; i++) {
      Call<DocumentStore> call =
          transaction.prepare(draws.at(seed, (long) i * lines.size() + stream), keys);
      if (call.asks()) {
        CallFailure failure = everywhere(line, store -> call.run(store, Phases.NONE));
        call.finish(failure, false);
      }
      progress.step("compare", ++done, (long) calls * lines.size(), "calls");
    }
  }

  private void probe(Line line, Edges.Probe probe) {
    everywhere(line, probe);
  }

  /** Runs a call on every side and on the reference, and returns the reference's failure. */
  private CallFailure everywhere(Line line, Edges.Probe probe) {
    for (Recorder recorder : recorders.values()) {
      run(recorder, probe);
    }
    CallFailure failure = run(right, probe);
    line.called(right.answer());
    Map<String, String> sides = new LinkedHashMap<>();
    boolean differs = false;
    for (Map.Entry<ComparedTarget, Recorder> side : recorders.entrySet()) {
      String difference = AnswerCheck.difference(right.answer(), side.getValue().answer());
      differs |= !difference.isEmpty();
      sides.put(
          side.getKey().name(),
          difference.isEmpty() ? side.getValue().answer().toString() : difference);
    }
    if (differs) {
      line.differs("call " + line.calls(), right.arguments(), expected(right.answer()), sides);
    }
    return failure;
  }

  private static CallFailure run(Recorder recorder, Edges.Probe probe) {
    try {
      probe.run(recorder);
      return null;
    } catch (CallFailure e) {
      return e;
    }
  }

  private static String expected(Answer right) {
    return AnswerCheck.isLoose(right) ? "any " + right.count() + " of " + right : right.toString();
  }

  private boolean statesAgree(Line line, String when) throws CallFailure {
    Map<String, String> sides = new LinkedHashMap<>();
    String expected = Answer.Rows.count(reference.rows().size());
    boolean agree = true;
    for (ComparedTarget side : recorders.keySet()) {
      String difference = side.stateDifference(reference.rows());
      agree &= difference.isEmpty();
      sides.put(side.name(), difference.isEmpty() ? expected : difference);
    }
    if (!agree) {
      line.differs(when, "", expected, sides);
    }
    return agree;
  }
}
