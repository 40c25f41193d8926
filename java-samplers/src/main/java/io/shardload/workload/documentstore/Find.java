package io.shardload.workload.documentstore;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.NoKey;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Transaction;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.List;
import java.util.function.Predicate;

/**
 * The common part of all finds: they choose a live document that this generator owns (the probe),
 * run a query that must return it, and judge the rows.
 *
 * @param name of the transaction
 * @param documents computes the content of the probe
 * @param chooser draws the probe
 * @param query makes statement and predicate for a probe
 */
record Find(String name, Documents documents, Chooser chooser, QueryMaker query)
    implements Transaction<DocumentStore> {

  /** Draws a live document, or -1. */
  @FunctionalInterface
  interface Chooser {
    long choose(Draws draws, Keys keys);
  }

  /** Builds the query that must find the probe. */
  @FunctionalInterface
  interface QueryMaker {
    Query make(long probe, int edition, Draws draws);
  }

  /**
   * A statement with its arguments and the condition for its rows.
   *
   * @param limit maximum number of returned rows
   */
  record Query(Statement statement, Predicate<Document> predicate, int limit) {}

  /** The call on the port. */
  @FunctionalInterface
  interface Statement {
    List<Document> run(DocumentStore store, Phases phases) throws CallFailure;
  }

  @Override
  public Call<DocumentStore> prepare(Draws draws, Keys keys) {
    long probe = chooser.choose(draws, keys);
    if (probe < 0) {
      return new NoKey<>();
    }
    short state = keys.state(probe);
    if (!State.live(state)) {
      return new NoKey<>();
    }
    Query made = query.make(probe, State.edition(state), draws);
    Sample sample = new Sample(documents, draws.nextLong());
    return new FindCall(keys, probe, documents.filter1(probe), state, made, sample);
  }

  /** One find, prepared. */
  private static final class FindCall implements Call<DocumentStore> {
    private final Keys keys;
    private final long probe;
    private final String probeFilter1;
    private final short before;
    private final Query query;
    private final Sample sample;
    private List<Document> rows = List.of();

    FindCall(Keys keys, long probe, String probeFilter1, short before, Query query, Sample sample) {
      this.keys = keys;
      this.probe = probe;
      this.probeFilter1 = probeFilter1;
      this.before = before;
      this.query = query;
      this.sample = sample;
    }

    @Override
    public void run(DocumentStore store, Phases phases) throws CallFailure {
      rows = query.statement().run(store, phases);
    }

    @Override
    public Outcome finish(CallFailure failure, boolean unknownBefore) {
      if (failure != null) {
        return Call.outcomeOf(failure, unknownBefore, false);
      }
      if (isUnjudged(rows)) {
        return Outcome.done(1);
      }
      if (rows.size() > query.limit()) {
        return new Outcome.Failed("too-many-rows");
      }
      for (Document row : rows) {
        if (hasNull(row) || !query.predicate().test(row)) {
          return new Outcome.Failed("wrong-row");
        }
      }
      if (!sample.isRight(rows)) {
        return new Outcome.Failed("wrong-content");
      }
      boolean untouched = State.settledLive(before) && keys.state(probe) == before;
      if (rows.isEmpty()) {
        return new Outcome.Missing(untouched);
      }
      return new Outcome.Done(rows.size(), untouched && behind());
    }

    @SuppressWarnings("ReferenceEquality") // The list object itself is the marker, not its content.
    private static boolean isUnjudged(List<Document> rows) {
      return rows == DocumentStore.UNJUDGED;
    }

    /** A number that is NULL is represented as -1. */
    private static boolean hasNull(Document row) {
      return row.id() == null
          || row.filter1() == null
          || row.filter2() == null
          || row.filter3() < 0
          || row.filter4() == null
          || row.filter5() == null
          || row.document() == null
          || row.edition() < 0;
    }

    /** The rows are older than the state that was acknowledged before the call began. */
    private boolean behind() {
      for (Document row : rows) {
        if (probeFilter1.equals(row.filter1())) {
          return row.edition() != State.edition(before);
        }
      }
      return rows.size() < query.limit();
    }

    @Override
    public void abandon() {}
  }
}
