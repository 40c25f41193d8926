package io.shardload.workload.documentstore;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Call;
import io.shardload.workload.NoKey;
import io.shardload.workload.Transaction;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.Locale;
import java.util.UUID;

/** A write: it claims a document and runs one statement on it. */
record WriteTransaction(Kind kind, Documents documents) implements Transaction<DocumentStore> {
  /** The writes of the workload, in the order in which people list them. */
  enum Kind {
    /** filter2 to filter5 of the next edition. */
    UPDATE,
    /** Deletes a live document; its ordinal is never used again. */
    DELETE,
    /** A new document at edition 0. */
    INSERT;

    String transaction() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String name() {
    return kind.transaction();
  }

  @Override
  public boolean writes() {
    return true;
  }

  @Override
  public boolean takesNewKeys() {
    return kind == Kind.INSERT;
  }

  @Override
  public Call<DocumentStore> prepare(Draws draws, Keys keys) {
    long ordinal =
        switch (kind) {
          case UPDATE -> keys.claimLive(draws);
          case DELETE -> keys.claimToDelete(draws);
          case INSERT -> keys.claimNew();
        };
    return ordinal < 0 ? new NoKey<>() : call(keys, ordinal, State.edition(keys.state(ordinal)));
  }

  private WriteCall call(Keys keys, long ordinal, int edition) {
    if (kind == Kind.INSERT) {
      Document document = documents.at(ordinal, 0);
      return new WriteCall(
          keys,
          ordinal,
          State.live(0),
          State.of(State.UNKNOWN_INSERT, 0),
          (store, phases) -> {
            store.insert(document, phases);
            return 1;
          });
    }
    UUID id = documents.id(ordinal);
    String filter1 = documents.filter1(ordinal);
    if (kind == Kind.DELETE) {
      return new WriteCall(
          keys,
          ordinal,
          State.of(State.DELETED, edition),
          State.of(State.UNKNOWN_DELETE, edition),
          (store, phases) -> store.delete(id, filter1, phases));
    }
    Change change = documents.change(ordinal, edition + 1);
    return new WriteCall(
        keys,
        ordinal,
        State.live(edition + 1),
        State.of(State.UNKNOWN_UPDATE, edition),
        (store, phases) -> store.update(id, filter1, edition, change, phases));
  }
}
