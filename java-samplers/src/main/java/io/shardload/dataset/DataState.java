package io.shardload.dataset;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.util.Locale;
import java.util.Optional;

/**
 * What a run would find on a target. The check creates, changes and marks nothing.
 *
 * @param loaded documents that are loaded according to the header
 * @param documents that the configuration requests
 * @param detail why a run would be refused; empty otherwise
 */
public record DataState(Kind kind, long loaded, long documents, String detail) {
  /** The state of the data set. */
  public enum Kind {
    /** No document is loaded: a run would load all. */
    NONE,
    /** An interrupted load left some documents: a run would load the rest. */
    PARTIAL,
    COMPLETE,
    /** The target keeps no documents, or shardload does not load its documents. */
    NOTHING_TO_LOAD,
    /** Other data, or a data set that is not settled: a run would be refused. */
    REFUSED
  }

  /** Looks at the record of the data set; counts no documents. */
  public static DataState look(Target target, String workload, Model<?> model) throws CallFailure {
    long documents = model.documents();
    if (!target.keepsData() || !model.keepsRecord()) {
      return new DataState(Kind.NOTHING_TO_LOAD, 0, documents, "");
    }
    Optional<Header> found = target.dataSets().header();
    long loaded = found.map(Header::loaded).orElse(0L);
    try {
      if (found.isEmpty()) {
        Belongings.refuseFilled(target.dataSets(), model);
      } else {
        DataSet.checkSame(found.get(), workload, model);
        DataSet.refuseDirty(found.get());
        Belongings.check(target.dataSets(), found.get(), model);
      }
      if (!target.dataSets().look(model.tables()).isEmpty()) {
        model.checkSchema(target, false);
      }
    } catch (ConfigException e) {
      return new DataState(Kind.REFUSED, loaded, documents, e.getMessage());
    }
    if (found.isEmpty()) {
      return new DataState(Kind.NONE, 0, documents, "");
    }
    Kind kind = loaded == found.get().documents() ? Kind.COMPLETE : Kind.PARTIAL;
    return new DataState(kind, loaded, documents, "");
  }

  /** The options that shape the documents, with their effective values, defaults included. */
  public static JsonObject options(Model<?> model) {
    JsonObject json = new JsonObject();
    model
        .shape()
        .forEach(
            (key, value) -> {
              String[] option = model.option(key, value).split("=", 2);
              if (option.length == 2) {
                json.addProperty(option[0], option[1]);
              }
            });
    return json;
  }

  /** The form in which the controller reads it. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("state", kind.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    json.addProperty("loaded", loaded);
    json.addProperty("documents", documents);
    json.addProperty("detail", detail);
    return json;
  }
}
