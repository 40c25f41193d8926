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
import io.shardload.workload.documentstore.port.Column;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Query;
import java.util.ArrayList;
import java.util.List;

/**
 * A find: it chooses a live document that this generator owns (the probe), asks for its values, and
 * judges the rows. A list find selects the probe's own value and one more value of the same tenant.
 */
record FindTransaction(Find find, Documents documents, Shape shape)
    implements Transaction<DocumentStore> {

  @Override
  public String name() {
    return find.transaction();
  }

  @Override
  public Call<DocumentStore> prepare(Draws draws, Keys keys) {
    long probe =
        find == Find.BY_ID_AND_FILTER3_LTE ? smallestFilter3(draws, keys) : keys.pickLive(draws);
    if (probe < 0) {
      return new NoKey<>();
    }
    short state = keys.state(probe);
    if (!State.live(state)) {
      return new NoKey<>();
    }
    Query query = query(probe, State.edition(state), draws);
    Sample sample = new Sample(documents, draws.nextLong());
    return new FindCall(keys, probe, documents.filter1(probe), state, query, sample);
  }

  private Query query(long probe, int edition, Draws draws) {
    List<Find.Condition> conditions = find.conditions();
    List<Object> values = new ArrayList<>(2);
    for (int i = 0; i < conditions.size(); i++) {
      Column column = conditions.get(i).column();
      values.add(documents.value(column, probe, edition));
      if (conditions.get(i).relation() == Find.Relation.AMONG) {
        values.add(documents.drawn(column, probe, draws.nextLong()));
      }
    }
    return new Query(find, documents.id(probe), values);
  }

  /**
   * The document with the smallest filter3 among some live documents of a tenant, or -1. The
   * minimum of n/r uniform values out of n has rank r on average, so about rows-per-find rows come
   * back.
   */
  private long smallestFilter3(Draws draws, Keys keys) {
    long probe = keys.pickLive(draws);
    if (probe < 0) {
      return probe;
    }
    long tenant = documents.tenant(probe);
    long smallest = documents.filter3(probe, State.edition(keys.state(probe)));
    long companions = shape.perTenant() / shape.rowsPerFind() - 1;
    // Documents of other generators do not count, but the number of tries is limited anyway.
    for (long tries = 0, found = 0; found < companions && tries < 8 * companions; tries++) {
      long ordinal = tenant + draws.next(shape.perTenant()) * shape.tenants();
      short state = keys.state(ordinal);
      if (State.settledLive(state)) {
        found++;
        long value = documents.filter3(ordinal, State.edition(state));
        if (value < smallest) {
          smallest = value;
          probe = ordinal;
        }
      }
    }
    return probe;
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
      rows = store.find(query, phases);
    }

    @Override
    public Outcome finish(CallFailure failure, boolean unknownBefore) {
      if (failure != null) {
        return Call.outcomeOf(failure, unknownBefore, false);
      }
      if (isUnjudged(rows)) {
        return Outcome.done(1);
      }
      if (rows.size() > query.find().limit()) {
        return new Outcome.Failed("too-many-rows");
      }
      for (Document row : rows) {
        if (hasNull(row) || !query.matches(row)) {
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
      return new Outcome.Done(rows.size(), 0, untouched && behind());
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
      return rows.size() < query.find().limit();
    }

    @Override
    public void abandon() {}
  }
}
