package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.shardload.bundle.WholeFile;
import io.shardload.config.ConfigException;
import io.shardload.driver.Scratch;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.parity.ComparedTarget;
import io.shardload.parity.Line;
import io.shardload.parity.Parity;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.StatementsModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The verbs of {@code shardload parity}: {@code parity-open} once for each target, so that a
 * problem of a target names its own file, then {@code parity}.
 */
final class ParityVerbs implements AutoCloseable {
  private static final int FEWEST_CALLS = 10;

  /** A call ends with its statement timeout; longer calls are not awaited. */
  private static final long PATIENCE_SECONDS = 15;

  /** A participating target with its own tables. */
  private record Opened(RunConfig config, Target target, Scratch scratch) {
    ComparedTarget compared() throws CallFailure {
      StatementsModel model = (StatementsModel) config.model();
      return new ComparedTarget(config.target().name(), model, scratch);
    }
  }

  private final Map<String, Opened> opened = new LinkedHashMap<>();

  /** Held while a verb works: tables are dropped when nobody makes or fills them any more. */
  private final ReentrantLock working = new ReentrantLock();

  private volatile boolean closing;

  JsonObject open(RunConfig config) throws CallFailure {
    working.lock();
    try {
      return openLocked(config);
    } finally {
      working.unlock();
    }
  }

  private JsonObject openLocked(RunConfig config) throws CallFailure {
    String name = config.target().name();
    for (Opened other : opened.values()) {
      if (sameDatabase(other.config(), config)) {
        throw new ConfigException(
            "target.url",
            "is also the database of target "
                + other.config().target().name()
                + ": there is nothing to compare");
      }
    }
    List<String> tables = tables(config);
    Target target = config.driver().open(config.target(), config.session().asController());
    try {
      if (!target.keepsData()) {
        throw new ConfigException(
            "target.driver", name + " keeps no data: there is nothing to compare");
      }
      var server = target.server();
      opened.put(name, new Opened(config, target, target.scratch(tables)));
      JsonObject ok = new JsonObject();
      ok.addProperty("server", (server.name() + " " + server.version()).trim());
      return ok;
    } catch (CallFailure | RuntimeException e) {
      target.close();
      throw e;
    }
  }

  /** Whether two targets share a database, by any of their hosts: both would use one scratch. */
  static boolean sameDatabase(RunConfig one, RunConfig other) {
    return !Collections.disjoint(databases(one), databases(other));
  }

  private static Set<String> databases(RunConfig config) {
    return config.driver().databases(config.target());
  }

  /** Compares what was opened; with {@code directory}, {@code parity.json} is written there. */
  JsonObject compare(JsonObject request, Listener listener) throws CallFailure, IOException {
    working.lock();
    try {
      return compareLocked(request, listener);
    } catch (CancellationException e) {
      throw new CallFailure("interrupted", false, false, "the comparison was interrupted");
    } finally {
      working.unlock();
    }
  }

  private JsonObject compareLocked(JsonObject request, Listener listener)
      throws CallFailure, IOException {
    int calls = request.get("calls").getAsInt();
    if (calls < FEWEST_CALLS) {
      throw new ConfigException("", "--calls: " + calls + " is too few; at least 10 are needed");
    }
    RunConfig first = opened.values().iterator().next().config();
    Progress progress =
        (what, done, total, unit) -> {
          if (closing) {
            throw new CancellationException();
          }
          listener.step(what, done, total, unit);
        };
    List<ComparedTarget> sides = new ArrayList<>();
    for (Opened side : opened.values()) {
      sides.add(side.compared());
    }
    Parity.Result result = new Parity(sides, first.seed(), calls, progress).run();
    JsonObject ok = json(result);
    ok.add("targets", new Gson().toJsonTree(opened.keySet()));
    ok.addProperty("seed", first.seed());
    ok.add("data", new Gson().toJsonTree(first.model().describe()));
    if (request.has("directory")) {
      Path directory = Files.createDirectories(Path.of(request.get("directory").getAsString()));
      WholeFile.writeJson(directory.resolve("parity.json"), ok);
    }
    return ok;
  }

  /**
   * The tables that a comparison makes.
   *
   * @throws ConfigException it could not keep away from the user's tables
   */
  private static List<String> tables(RunConfig config) {
    if (!config.model().keepsRecord()) {
      throw new ConfigException(
          "workload.data.existing", "parity loads tables of its own, and existing data has none");
    }
    List<String> tables = config.model().tables();
    for (String table : tables) {
      if (table.contains(".")) {
        throw new ConfigException(
            "workload.data.tables." + table,
            "parity makes its tables in a schema of its own, and this name has another");
      }
    }
    return tables;
  }

  private static JsonObject json(Parity.Result result) {
    Gson gson = new Gson();
    JsonObject json = new JsonObject();
    json.addProperty("equal", result.equal());
    json.add("load", gson.toJsonTree(line(result.load())));
    json.add(
        "transactions",
        gson.toJsonTree(result.transactions().stream().map(ParityVerbs::line).toList()));
    return json;
  }

  private static Map<String, Object> line(Line line) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", line.name());
    json.put("calls", line.calls());
    json.put("rows", line.rows());
    json.put("beyond_limit", line.loose());
    json.put("equal", line.difference() == null);
    if (!line.apart().isEmpty()) {
      json.put("only_of", line.apart());
    }
    if (line.difference() != null) {
      json.put("difference", line.difference());
    }
    return json;
  }

  /** Drops the scratch tables, also during a verb, which then ends at its next step. */
  @Override
  public void close() {
    closing = true;
    try {
      if (!working.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("parity does not stop; its scratch tables are dropped nevertheless");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Opened side : opened.values()) {
      try {
        side.scratch().close();
      } catch (CallFailure e) {
        System.err.println("cannot drop the scratch tables: " + e.getMessage());
      } finally {
        side.target().close();
      }
    }
    opened.clear();
  }
}
