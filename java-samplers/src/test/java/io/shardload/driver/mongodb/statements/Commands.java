package io.shardload.driver.mongodb.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Marks;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Commands as the reader of a folder hands them over, and what comes of them. */
final class Commands {
  private static final Set<String> WRITES = Set.of("insert", "update", "delete", "findAndModify");
  private static int line;

  private Commands() {}

  /** A command in JSON, with single quotes. */
  static CommandStatement command(String text) {
    JsonObject json = JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    String verb = json.keySet().iterator().next();
    List<String> names = new ArrayList<>();
    collect(json, names);
    Place place = new Place("transactions/t/mongodb.json", ++line);
    return new CommandStatement(
        place, verb, json.get(verb).getAsString(), json, names, WRITES.contains(verb));
  }

  /** A collection of a schema file. */
  static CommandStatement collection(String name, String fields) {
    JsonObject json =
        JsonParser.parseString("{'name': '%s'%s}".formatted(name, fields).replace('\'', '"'))
            .getAsJsonObject();
    Place place = new Place("schema/mongodb.json", ++line);
    return new CommandStatement(place, "create", name, json, List.of(), true);
  }

  private static void collect(JsonElement json, List<String> names) {
    if (json.isJsonArray()) {
      json.getAsJsonArray().forEach(item -> collect(item, names));
    } else if (json.isJsonObject()) {
      if (json.getAsJsonObject().has("$param")) {
        names.add(json.getAsJsonObject().get("$param").getAsString());
      }
      json.getAsJsonObject().entrySet().forEach(e -> collect(e.getValue(), names));
    }
  }

  /** A plan that wants nothing. */
  static Plan plan(Isolation isolation, List<String> arguments, String... commands) {
    Step[] steps = new Step[commands.length];
    Arrays.fill(steps, Step.ANY);
    return plan(isolation, arguments, List.of(steps), commands);
  }

  static Plan plan(
      Isolation isolation, List<String> arguments, List<Step> steps, String... commands) {
    List<Statement> statements = new ArrayList<>();
    for (String text : commands) {
      statements.add(command(text));
    }
    return new Plan("t", 0, isolation, arguments, statements, steps);
  }

  /** A step that wants these columns, and captures each under its own name. */
  static Step capture(String... columns) {
    Map<String, String> capture = new TreeMap<>();
    for (String column : columns) {
      capture.put(column, column);
    }
    return new Step(-1, Long.MAX_VALUE, Map.of(), capture);
  }

  /** A step that wants these columns. */
  static Step wants(String... columns) {
    Map<String, String> equal = new TreeMap<>();
    for (String column : columns) {
      equal.put(column, "any");
    }
    return new Step(-1, Long.MAX_VALUE, equal, Map.of());
  }

  /** What came, one line per event: {@code begin}, {@code 0: [a, 1]}, {@code 0 ended: 1}. */
  static final class Told implements Answers {
    final List<String> lines = new ArrayList<>();
    final List<Object> values = new ArrayList<>();
    final Marks phases = new Marks();

    @Override
    public void begin() {
      lines.add("begin");
    }

    @Override
    public void row(int statement, List<?> wanted, Equality equality) {
      lines.add(statement + ": " + wanted);
      values.addAll(wanted);
    }

    @Override
    public void ended(int statement, long rows) {
      lines.add(statement + " ended: " + rows);
    }
  }

  /** Runs a plan. */
  static Told run(StatementStore store, Plan plan, Object... arguments) throws CallFailure {
    Told told = new Told();
    store.run(plan, arguments, told, told.phases);
    return told;
  }

  /** Runs one command with nothing wanted, and returns its number of rows. */
  static String rows(StatementStore store, String command) throws CallFailure {
    Told told = run(store, plan(Isolation.NONE, List.of(), command));
    return told.lines.get(told.lines.size() - 1);
  }
}
