package io.shardload.dataset;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which objects of the database belong to a data set. An object is known by its identity, which its
 * header records: a table of the same name may be the user's own, restored or renamed since.
 */
public final class Belongings {
  private Belongings() {}

  /**
   * Refuses a data set whose tables are gone or are others than those that shardload filled.
   *
   * @throws ConfigException with the command that replaces them
   */
  public static void check(DataSetStore store, Header header, Model<?> model) throws CallFailure {
    Map<String, DataObject> there = store.look(model.tables());
    for (String table : model.tables()) {
      DataObject object = there.get(table);
      if (object != null && recorded(header, object).isEmpty()) {
        throw new ConfigException("target", other(store, object) + "; use another database")
            .advise(replaceForeign(header));
      }
      if (object == null && header.loaded() > 0) {
        throw new ConfigException("target", "table %s of the data set is gone".formatted(table))
            .advise(Advice.recreate("to load the data set again"));
      }
    }
  }

  /** Refuses tables that hold documents, in a database without a header. */
  static void refuseFilled(DataSetStore store, Model<?> model) throws CallFailure {
    for (DataObject object : store.look(model.tables()).values()) {
      if (!store.empty(object)) {
        throw new ConfigException(
                "target",
                "%s holds documents, but the database has no shardload header, so shardload did not load them; use another database"
                    .formatted(object))
            .advise(Advice.replaceForeign());
      }
    }
  }

  /** What replacing a data set must not drop, in words; empty if all of it is shardload's own. */
  static Optional<String> foreign(DataSetStore store, Optional<Header> header, Model<?> model)
      throws CallFailure {
    for (DataObject object : store.look(model.tables()).values()) {
      Optional<DataObject> recorded = header.flatMap(of -> recorded(of, object));
      if (recorded.isEmpty()) {
        return Optional.of(other(store, object));
      }
      if (!recorded.get().made()) {
        return Optional.of(object + " existed before shardload filled it");
      }
    }
    List<String> attached = store.attached(made(header));
    return attached.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s would be dropped with a table of shardload, but shardload did not create it"
                .formatted(String.join(", ", attached)));
  }

  /**
   * What a data set makes room for: the objects that shardload created for it.
   *
   * @param foreign whether the tables of the new data set are dropped, also those that shardload
   *     did not create
   */
  static List<DataObject> toDrop(
      DataSetStore store, Optional<Header> header, Model<?> model, boolean foreign)
      throws CallFailure {
    List<DataObject> drop = new ArrayList<>(made(header));
    if (foreign) {
      store.look(model.tables()).values().stream()
          .filter(object -> drop.stream().noneMatch(object::same))
          .forEach(drop::add);
    }
    return drop;
  }

  /** Advice for what is not shardload's own, in a data set that a run may have left unsettled. */
  static Advice replaceForeign(Header header) {
    return header.clean()
        ? Advice.replaceForeign()
        : Advice.replaceForeign("--discard-unsettled", header.dirtyRun());
  }

  private static List<DataObject> made(Optional<Header> header) {
    return header.stream().flatMap(of -> of.objects().stream()).filter(DataObject::made).toList();
  }

  private static Optional<DataObject> recorded(Header header, DataObject object) {
    return header.objects().stream().filter(object::same).findFirst();
  }

  private static String other(DataSetStore store, DataObject object) {
    return "%s is not recorded as shardload's: restored or foreign%s"
        .formatted(object, store.weakness(object));
  }
}
