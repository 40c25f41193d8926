package io.shardload.driver.noop;

import io.shardload.driver.Clock;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.Query;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Answers every call as planned and keeps nothing. */
final class NoopStore implements DocumentStore, DocumentStoreAdmin {
  private static final long NOT_BEGUN = Long.MIN_VALUE;

  private final ServicePlan plan;
  private final boolean immediate;
  private final Clock clock;
  private final AtomicLong firstBegin = new AtomicLong(NOT_BEGUN);
  private final AtomicLong calls = new AtomicLong();

  NoopStore(ServicePlan plan, Clock clock) {
    this.plan = plan;
    this.immediate = plan.immediate();
    this.clock = clock;
  }

  /** Takes the planned time, or fails as planned. */
  void serve(Phases phases) throws CallFailure {
    phases.connected();
    if (!immediate) {
      serveAsPlanned();
    }
  }

  private void serveAsPlanned() throws CallFailure {
    long index = calls.getAndIncrement();
    long begin = clock.nanoTime();
    if (firstBegin.get() == NOT_BEGUN) {
      firstBegin.compareAndSet(NOT_BEGUN, begin);
    }
    long origin = firstBegin.get();
    long end = origin + plan.endNanos(begin - origin, index);
    if (end > begin) {
      try {
        clock.sleepUntil(end);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CallFailure("interrupted", true, false, "interrupted during the call");
      }
    }
    if (plan.fails(index)) {
      throw new CallFailure("planned-error", true, true, "planned by errors-percent");
    }
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    serve(phases);
    phases.acknowledged();
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure {
    serve(phases);
    phases.acknowledged();
    return 1;
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) throws CallFailure {
    serve(phases);
    phases.acknowledged();
    return 1;
  }

  @Override
  public List<Document> find(Query query, Phases phases) throws CallFailure {
    serve(phases);
    phases.found();
    return UNJUDGED;
  }

  @Override
  public boolean createSchema(Making making, Progress steps) {
    return false;
  }

  @Override
  public long count() {
    return 0;
  }

  @Override
  public void load(Iterator<Document> documents, LongConsumer progress) {}

  @Override
  public void walk(Consumer<Document> visitor) {}

  @Override
  public void read(Iterator<Key> keys, Consumer<Document> visitor) {}
}
