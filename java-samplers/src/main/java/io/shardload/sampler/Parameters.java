package io.shardload.sampler;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.driver.Driver;
import io.shardload.generator.RunConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.util.JMeterUtils;

/**
 * The parameters of the Java Request. Under shardload the whole configuration comes as one JMeter
 * property; in a user's own JMeter it is built from the parameters: closed model, as many workers
 * as the thread group has threads, for as long as the thread group runs.
 */
final class Parameters {
  /** Keys of the configuration, the longer ones first, and the parameters that they come from. */
  private static final List<Map.Entry<String, String>> NAMES_OF_KEYS =
      List.of(
          Map.entry("target.password-env", "password-env"),
          Map.entry("target.options", "target-options"),
          Map.entry("target.driver", "driver"),
          Map.entry("target.url", "url"),
          Map.entry("target.user", "user"),
          Map.entry("workload.data", "data"),
          Map.entry("workload.seed", "seed"),
          Map.entry("workload.name", "workload"),
          Map.entry("load.samples", "samples"),
          Map.entry("load.workers", "the thread group's number of threads"),
          Map.entry("schema", "schema"),
          Map.entry("mix", "mix"));

  private static final String PROPERTY = "shardload.config";
  private static final double FOREVER_SECONDS = 30 * 86_400.0;

  private Parameters() {}

  static Arguments defaults() {
    Arguments arguments = new Arguments();
    arguments.addArgument(
        "config", "", "", "file with a run's JSON configuration; replaces all other parameters");
    String drivers = String.join(", ", RunConfig.drivers().stream().map(Driver::name).toList());
    arguments.addArgument("driver", "", "", "one of " + drivers);
    arguments.addArgument("url", "", "", "DRIVER://HOST:PORT/DATABASE, without user-info");
    arguments.addArgument("user", "");
    arguments.addArgument("password-env", "", "", "environment variable that holds the password");
    arguments.addArgument("target-options", "{}", "", "JSON, as in a target file");
    arguments.addArgument("schema", "{}", "", "JSON, as the section schema of a target file");
    arguments.addArgument("workload", "document-store");
    arguments.addArgument("mix", "find-by-id-and-filter1=100", "", "name=percent, comma-separated");
    arguments.addArgument("seed", "1");
    arguments.addArgument("data", "{}", "", "JSON, as workload.data in a workload file");
    arguments.addArgument("samples", "each", "", "each or slice");
    arguments.addArgument("directory", "", "", "run bundle; empty: a new one under runs/");
    return arguments;
  }

  /** Whether the configuration comes from a controller, which then owns data set and bundle. */
  static boolean controlled(JavaSamplerContext context) {
    return text(context, "config").isEmpty() && JMeterUtils.getProperty(PROPERTY) != null;
  }

  static boolean isParameter(String name) {
    return defaults().getArgumentsAsMap().containsKey(name);
  }

  static JsonObject config(JavaSamplerContext context) {
    rejectUnknown(context, defaults().getArgumentsAsMap().keySet());
    String file = text(context, "config");
    if (Engine.isHere() && (!file.isEmpty() || JMeterUtils.getProperty(PROPERTY) == null)) {
      throw new ConfigException(
          PROPERTY,
          "the engine of a load host takes its configuration only from shardload: start the run"
              + " with 'shardload run' or bzt");
    }
    try {
      if (!file.isEmpty()) {
        return JsonParser.parseString(Files.readString(Path.of(file))).getAsJsonObject();
      }
      String property = JMeterUtils.getProperty(PROPERTY);
      return property == null
          ? fromParameters(context)
          : JsonParser.parseString(property).getAsJsonObject();
    } catch (ConfigException e) {
      throw e;
    } catch (java.io.IOException | RuntimeException e) {
      throw new ConfigException("config", "cannot be read: " + e);
    }
  }

  private static JsonObject fromParameters(JavaSamplerContext context) {
    JsonObject target = new JsonObject();
    for (String key : new String[] {"driver", "url", "user", "password-env"}) {
      target.addProperty(key, text(context, key));
    }
    target.add("options", object(context, "target-options"));
    JsonObject workload = new JsonObject();
    workload.addProperty("name", text(context, "workload"));
    workload.addProperty("seed", text(context, "seed"));
    workload.add("data", object(context, "data"));
    JsonObject config = new JsonObject();
    config.add("run", run(text(context, "directory")));
    config.add("target", target);
    config.add("schema", object(context, "schema"));
    config.add("workload", workload);
    config.add("mix", mix(text(context, "mix")));
    config.add("load", load(text(context, "samples")));
    return config;
  }

  private static JsonObject object(JavaSamplerContext context, String key) {
    String text = text(context, key);
    try {
      return JsonParser.parseString(text).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      throw new ConfigException(
          key, "'" + text + "' is not a JSON object such as {\"name\": \"value\"}");
    }
  }

  private static JsonObject run(String directory) {
    String id =
        DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
                .format(LocalDateTime.now(ZoneId.systemDefault()))
            + "-jmeter-"
            + HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
    Path bundle = Path.of(directory.isEmpty() ? "runs/" + id : directory);
    JsonObject run = new JsonObject();
    // The data set waits for the run by the name of its bundle.
    run.addProperty("id", bundle.toAbsolutePath().normalize().getFileName().toString());
    run.addProperty("directory", bundle.toAbsolutePath().normalize().toString());
    return run;
  }

  private static JsonObject mix(String text) {
    JsonObject mix = new JsonObject();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw new ConfigException("mix", "'" + part + "' is not name=percent");
      }
      mix.addProperty(part.substring(0, equals).trim(), part.substring(equals + 1).trim());
    }
    return mix;
  }

  private static JsonObject load(String samples) {
    int threads = JMeterContextService.getContext().getThreadGroup().getNumThreads();
    JsonObject hold = new JsonObject();
    hold.addProperty("name", "hold");
    hold.addProperty("kind", "hold");
    hold.addProperty("seconds", FOREVER_SECONDS);
    hold.addProperty("from_workers", threads);
    hold.addProperty("to_workers", threads);
    JsonArray segments = new JsonArray();
    segments.add(hold);
    JsonObject load = new JsonObject();
    load.addProperty("model", "closed");
    load.addProperty("workers", threads);
    load.addProperty("samples", samples);
    load.add("segments", segments);
    return load;
  }

  /** A parameter's value, or its default where the test plan leaves it out. */
  private static String text(JavaSamplerContext context, String key) {
    return context.getParameter(key, defaults().getArgumentsAsMap().get(key)).trim();
  }

  /**
   * Refuses an unknown parameter, which would be ignored.
   *
   * @throws ConfigException it names the nearest parameter
   */
  static void rejectUnknown(JavaSamplerContext context, Collection<String> known) {
    List<String> names = new ArrayList<>(known);
    Iterator<String> given = context.getParameterNamesIterator();
    while (given.hasNext()) {
      String name = given.next();
      // JMeter itself adds the name of the Java Request; the GUI keeps rows without a name.
      if (!name.isBlank() && !name.equals(TestElement.NAME) && !names.contains(name)) {
        throw ConfigException.unknown(name, "parameter", name, names);
      }
    }
  }

  /**
   * The names of the Java Request's parameters in messages: a user of the GUI sees these names, not
   * the keys of shardload's own files.
   *
   * <p>The message of a problem, with the names of the parameters.
   */
  static String message(ConfigException problem) {
    String text = problem.getMessage();
    for (Map.Entry<String, String> each : NAMES_OF_KEYS) {
      if (each.getKey().startsWith("target.")) {
        text = text.replace(each.getKey(), "the parameter " + each.getValue());
      }
    }
    return place(problem.key()) + text;
  }

  private static String place(String key) {
    for (Map.Entry<String, String> each : NAMES_OF_KEYS) {
      String known = each.getKey();
      if (key.equals(known)) {
        return each.getValue() + ": ";
      }
      if (key.startsWith(known + ".")) {
        return each.getValue() + ": " + key.substring(known.length() + 1) + ": ";
      }
    }
    return isParameter(key) ? key + ": " : "";
  }
}
