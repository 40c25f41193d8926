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
import java.util.UUID;

/** The three writes of the workload, one method each. */
final class WriteTransactions {
  private final Documents documents;

  WriteTransactions(Documents documents) {
    this.documents = documents;
  }

  /** A new document at edition 0. */
  Transaction<DocumentStore> insert() {
    return new Named(
        "insert",
        (draws, keys) -> {
          long ordinal = keys.claimNew();
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
        },
        true);
  }

  /** filter2 to filter5 of the next edition. */
  Transaction<DocumentStore> update() {
    return new Named(
        "update",
        (draws, keys) -> {
          long ordinal = keys.claimLive(draws);
          if (ordinal < 0) {
            return new NoKey<>();
          }
          int edition = State.edition(keys.state(ordinal));
          UUID id = documents.id(ordinal);
          String filter1 = documents.filter1(ordinal);
          Change change = documents.change(ordinal, edition + 1);
          return new WriteCall(
              keys,
              ordinal,
              State.live(edition + 1),
              State.of(State.UNKNOWN_UPDATE, edition),
              (store, phases) -> store.update(id, filter1, edition, change, phases));
        });
  }

  /** Deletes a live document; its ordinal is never used again. */
  Transaction<DocumentStore> delete() {
    return new Named(
        "delete",
        (draws, keys) -> {
          long ordinal = keys.claimToDelete(draws);
          if (ordinal < 0) {
            return new NoKey<>();
          }
          int edition = State.edition(keys.state(ordinal));
          UUID id = documents.id(ordinal);
          String filter1 = documents.filter1(ordinal);
          return new WriteCall(
              keys,
              ordinal,
              State.of(State.DELETED, edition),
              State.of(State.UNKNOWN_DELETE, edition),
              (store, phases) -> store.delete(id, filter1, phases));
        });
  }

  /** A transaction from its name and its preparation. */
  private record Named(String name, Preparation preparation, boolean takesNewKeys)
      implements Transaction<DocumentStore> {
    Named(String name, Preparation preparation) {
      this(name, preparation, false);
    }

    @Override
    public boolean writes() {
      return true;
    }

    @Override
    public Call<DocumentStore> prepare(Draws draws, Keys keys) {
      return preparation.prepare(draws, keys);
    }
  }

  @FunctionalInterface
  private interface Preparation {
    Call<DocumentStore> prepare(Draws draws, Keys keys);
  }
}
