package io.shardload.dataset;

import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the header of a data set while its schema is made. The header of a replaced data set stays
 * until the first object of the new one exists, so a replacement that fails does not lose it.
 */
final class Recording {
  private final DataSetStore store;
  private final Header fresh;
  private Optional<Header> replaced;
  private Optional<Header> now;

  /**
   * @param found the header in the database
   * @param again whether the found header belongs to data that is dropped
   * @param fresh header of a new data set
   */
  Recording(DataSetStore store, Optional<Header> found, boolean again, Header fresh) {
    this.store = store;
    this.fresh = fresh;
    this.replaced = again ? found : Optional.empty();
    this.now = again ? Optional.empty() : found;
  }

  /** Adds objects to the header; the first ones begin a new data set. */
  void made(List<DataObject> objects) throws CallFailure {
    if (!objects.isEmpty()) {
      write(objects);
    }
  }

  /**
   * Adds the tables that existed before.
   *
   * @throws ConfigException there is no header, and they hold documents
   */
  Header complete(Model<?> model) throws CallFailure {
    if (now.isEmpty()) {
      if (replaced.isEmpty()) {
        Belongings.refuseFilled(store, model);
      }
      write(new ArrayList<>(store.look(model.tables()).values()));
    }
    return now.orElseThrow();
  }

  private void write(List<DataObject> objects) throws CallFailure {
    Header next = now.orElse(fresh).with(objects);
    Optional<Header> before = now.isPresent() ? now : replaced;
    if (before.isEmpty()) {
      store.create(next);
    } else if (!store.replace(before.get(), next)) {
      throw new ConfigException("target", "another process is changing this data set right now");
    }
    if (now.isEmpty() && replaced.isPresent()) {
      store.keepOnly(next.generation());
    }
    now = Optional.of(next);
  }
}
