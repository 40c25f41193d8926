package io.shardload.workload.statements.parameters;

import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.workload.statements.folder.Switches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads sections as the effective configuration has them; keys and words need no quotes. */
final class Reading {
  /** 2026-01-01T00:00:00Z. */
  static final long NOW = 1_767_225_600_000L;

  static final long SEED = 7;

  /** A parameter that no other one of its call needs. */
  static final Function<String, Object> ALONE =
      name -> {
        throw new AssertionError("asked for " + name);
      };

  private Reading() {}

  static Parameters of(String parameters, String data, Path folder) {
    return of(parameters, data, folder, Switches.NONE);
  }

  static Parameters of(String parameters, String data, Path folder, Switches switches) {
    return Parameters.read(
        new Options("workload.parameters", JsonParser.parseString(parameters).getAsJsonObject()),
        new Options("workload.data", JsonParser.parseString(data).getAsJsonObject()),
        folder,
        switches,
        SEED,
        NOW);
  }

  static Parameters of(String parameters, String data) {
    return of(parameters, data, Path.of("src"));
  }

  /** One parameter without tables. */
  static Parameter one(String spec) {
    return of("{p: " + spec + "}", "{}").byName().get("p");
  }

  /** A table with one column {@code c}. */
  static Table table(String spec, long rows) {
    return of("{}", "{tables: {t: {rows: " + rows + ", columns: {c: " + spec + "}}}}")
        .tables()
        .get(0);
  }

  /** The values of the first arrivals, each with its index as its fresh number. */
  static List<Object> first(Parameter parameter, int count) {
    List<Object> values = new ArrayList<>();
    Draws draws = new Draws();
    for (int i = 0; i < count; i++) {
      values.add(
          parameter.draw(draws.at(SEED, i), new Occasion(i, Occasion.Recent.NONE, NOW, ALONE)));
    }
    return values;
  }

  /** What is wrong, each as {@code key: message}. */
  static List<String> problems(String parameters, String data, Path folder) {
    try {
      of(parameters, data, folder);
      return List.of();
    } catch (ConfigException e) {
      return e.problems().stream().map(p -> p.key() + ": " + p.getMessage()).toList();
    }
  }
}
