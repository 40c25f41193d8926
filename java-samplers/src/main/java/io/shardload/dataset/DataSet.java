package io.shardload.dataset;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * The documents of one workload on one target, with the header that describes them. The controller
 * opens it before a run; every refusal is a {@link ConfigException} that lists the choices.
 */
public final class DataSet {
  /** Documents between two updates of the header about the progress of the load. */
  private static final long LOAD_PIECE = 1 << 16;

  private final Target target;
  private final Model<?> model;
  private final boolean created;
  private Header header;

  private DataSet(Target target, Model<?> model, boolean created, Header header) {
    this.target = target;
    this.model = model;
    this.created = created;
    this.header = header;
  }

  /**
   * Creates the schema or checks the existing schema, and then checks the header. Refuses foreign
   * documents, another workload or shape, and a data set that a run left dirty.
   *
   * @param replacement whether to drop existing tables first
   * @param steps receives steps that may take long, for example while shards exchange chunks
   */
  public static DataSet open(
      Target target, String workload, Model<?> model, Replacement replacement, Progress steps)
      throws CallFailure {
    replacement.check(target, model);
    model.checkSystem(target);
    boolean again = replacement.asked();
    if (!target.keepsData() || !model.keepsRecord()) {
      boolean created = model.createSchema(target, new Making(again, List.of(), made -> {}), steps);
      return new DataSet(target, model, created, complete(workload, model));
    }
    DataSetStore store = target.dataSets();
    Optional<Header> found = store.header();
    if (again) {
      model.checkSchema(target, true);
    } else if (found.isPresent()) {
      checkSame(found.get(), workload, model);
      refuseDirty(found.get());
      Belongings.check(store, found.get(), model);
    }
    List<DataObject> drop =
        again ? Belongings.toDrop(store, found, model, replacement.foreign()) : List.of();
    Recording recording =
        new Recording(store, found, again, empty(workload, model, UUID.randomUUID().toString()));
    boolean created = model.createSchema(target, new Making(again, drop, recording::made), steps);
    return new DataSet(target, model, created, recording.complete(model));
  }

  /**
   * Opens the data set without progress reports; only a settled data set of shardload may be
   * dropped.
   */
  public static DataSet open(Target target, String workload, Model<?> model, boolean recreate)
      throws CallFailure {
    return open(
        target,
        workload,
        model,
        recreate ? Replacement.SETTLED : Replacement.NONE,
        Progress.UNHEARD);
  }

  /** Whether the schema was created just now. */
  public boolean created() {
    return created;
  }

  public Header header() {
    return header;
  }

  /**
   * How many documents exist according to the data set's header and states, as the load or the last
   * run left them. This reads two compressed bytes per document; a count by the server would read
   * the whole table.
   */
  public long live() throws CallFailure {
    return StateChunks.live(target.dataSets(), header);
  }

  public boolean loaded() {
    return header.loaded() == header.documents();
  }

  /**
   * Loads the missing documents; returns at once if all documents are loaded. May be interrupted at
   * any time and called again.
   *
   * @param progress receives the number of documents loaded so far, earlier documents included
   * @return how many documents this call has loaded
   */
  public long load(LongConsumer progress) throws CallFailure {
    return load(progress, Progress.UNHEARD);
  }

  /**
   * As {@link #load(LongConsumer)}.
   *
   * @param steps receives what the server still does after all documents are loaded
   */
  public long load(LongConsumer progress, Progress steps) throws CallFailure {
    long before = header.loaded();
    while (!loaded()) {
      long from = header.loaded();
      long end = Math.min(header.documents(), from + LOAD_PIECE);
      model.load(target, from, end, done -> progress.accept(from + done));
      if (end == header.documents()) {
        model.finishLoad(target, steps);
      }
      replace(header.withLoaded(end));
    }
    if (before < header.documents()) {
      long count = model.count(target);
      if (count != header.documents()) {
        throw new ConfigException(
                "target",
                "has %d documents after the load instead of %d"
                    .formatted(count, header.documents()))
            .advise(Advice.recreate("to drop them and load again"));
      }
    }
    return header.documents() - before;
  }

  /** Marks the data set as being written by a run; refused if another run was faster. */
  public Header begin(String runId) throws CallFailure {
    if (!loaded()) {
      throw new ConfigException("target", "the data set is not loaded")
          .advise(new Advice("to load it", "load", List.of()));
    }
    if (target.keepsData() && model.keepsRecord()) {
      Belongings.check(target.dataSets(), header, model);
      replace(header.dirtiedBy(runId));
    }
    return header;
  }

  private void replace(Header next) throws CallFailure {
    if (!target.dataSets().replace(header, next)) {
      Optional<Header> now = target.dataSets().header();
      now.ifPresent(DataSet::refuseDirty);
      throw new ConfigException("target", "another process is changing this data set right now");
    }
    header = next;
  }

  private static Header empty(String workload, Model<?> model, String identity) {
    return new Header(workload, model.shape(), model.documents(), 0, 0, 0, "", identity, List.of());
  }

  private static Header complete(String workload, Model<?> model) {
    return empty(workload, model, "").withLoaded(model.documents());
  }

  /** Refuses a header of another workload, seed or shape, and names all differences. */
  public static void checkSame(Header header, String workload, Model<?> model) {
    if (!header.sound()) {
      throw new ConfigException(
              "target",
              "the record of the data set is damaged: loaded %d of %d documents, high_water %d,"
                      .formatted(header.loaded(), header.documents(), header.highWater())
                  + " generation "
                  + header.generation())
          .advise(Advice.recreate("to load %d documents".formatted(model.documents())));
    }
    if (!header.workload().equals(workload)) {
      String what = "with workload %s, not %s".formatted(header.workload(), workload);
      throw otherData(header, model, "workload", what, "");
    }
    Map<String, String> asked = model.shape();
    Map<String, String> there = header.shape();
    TreeSet<String> keys = new TreeSet<>(there.keySet());
    keys.addAll(asked.keySet());
    keys.removeIf(key -> Objects.equals(there.get(key), asked.get(key)));
    Set<String> differing = Set.copyOf(keys);
    keys.removeIf(key -> model.follows(key, differing));
    if (!keys.isEmpty()) {
      List<String> differences = new ArrayList<>();
      keys.forEach(key -> differences.add(difference(model, key, there.get(key), asked.get(key))));
      boolean known =
          keys.stream().allMatch(key -> there.containsKey(key) && asked.containsKey(key));
      List<String> options =
          keys.stream().map(key -> model.option(key, String.valueOf(there.get(key)))).toList();
      known &= options.stream().noneMatch(String::isEmpty);
      String keeping =
          options.stream().map(option -> "-o " + option).collect(Collectors.joining(" "));
      String path = options.get(0);
      throw otherData(
          header,
          model,
          path.isEmpty() ? "workload.data" : path.substring(0, path.indexOf('=')),
          String.join(", ", differences),
          known ? " " + keeping + " keeps it, or" : "");
    }
  }

  /**
   * In words.
   *
   * @param there null if the header is from another version of shardload
   * @param asked null if this version does not know the key
   */
  private static String difference(Model<?> model, String key, String there, String asked) {
    if (there == null) {
      return "without " + key;
    }
    if (model.hashed(key)) {
      return asked == null ? "with " + key : "with another version of " + key;
    }
    return "with %s %s, %s"
        .formatted(key, there, asked == null ? "which this version does not have" : "not " + asked);
  }

  private static ConfigException otherData(
      Header header, Model<?> model, String path, String differences, String keeping) {
    return new ConfigException(
            path,
            "the data set on the target was created %s;%s use another database"
                .formatted(differences, keeping))
        .advise(
            Advice.recreate(
                "to drop its %d documents and load %d"
                    .formatted(header.documents(), model.documents())));
  }

  /**
   * After a verification that found wrong data: a settled data set is not settled any more.
   * Otherwise the next replacement would drop the evidence.
   */
  public static void markWrong(DataSetStore store, Header header) throws CallFailure {
    if (header.clean()) {
      store.replace(header, header.dirtiedBy(Header.WRONG_DATA));
    }
  }

  static void refuseDirty(Header header) {
    if (!header.clean() && !header.ofRun()) {
      throw Replacement.wrongData();
    }
    if (!header.clean()) {
      throw Replacement.unsettled(
          "the data set is dirty: run %s is writing to it, or ended without verification"
              .formatted(header.dirtyRun()),
          header.dirtyRun());
    }
  }

  /**
   * Writes the header of a data set while its schema is made. The header of a replaced data set
   * stays until the first object of the new one exists, so a replacement that fails does not lose
   * it.
   */
  private static final class Recording {
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
}
