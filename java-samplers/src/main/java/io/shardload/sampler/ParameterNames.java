package io.shardload.sampler;

import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.testelement.TestElement;

/**
 * The names of the Java Request's parameters in messages: a user of the GUI sees these names, not
 * the keys of shardload's own files.
 */
final class ParameterNames {
  /** Keys of the configuration, the longer ones first, and the parameters that they come from. */
  private static final List<Map.Entry<String, String>> PARAMETERS =
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

  private ParameterNames() {}

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

  /** The message of a problem, with the names of the parameters. */
  static String message(ConfigException problem) {
    String text = problem.getMessage();
    for (Map.Entry<String, String> each : PARAMETERS) {
      if (each.getKey().startsWith("target.")) {
        text = text.replace(each.getKey(), "the parameter " + each.getValue());
      }
    }
    return place(problem.key()) + text;
  }

  private static String place(String key) {
    for (Map.Entry<String, String> each : PARAMETERS) {
      String known = each.getKey();
      if (key.equals(known)) {
        return each.getValue() + ": ";
      }
      if (key.startsWith(known + ".")) {
        return each.getValue() + ": " + key.substring(known.length() + 1) + ": ";
      }
    }
    return Parameters.isParameter(key) ? key + ": " : "";
  }
}
