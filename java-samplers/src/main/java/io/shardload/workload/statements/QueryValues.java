package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of the queries for values: the first column of each row, sorted, so that every
 * generator has the same value at the same position, independent of the server's order.
 */
record QueryValues(Map<String, List<Object>> values, Map<String, Object> describe) {
  /** Runs all queries once; the values are not written to any file. */
  static QueryValues ask(StatementAdmin admin, SystemPlans plans, Parameters parameters)
      throws CallFailure {
    Map<String, List<Object>> values = new LinkedHashMap<>();
    Map<String, Object> description = new LinkedHashMap<>();
    for (Map.Entry<String, Integer> query : parameters.queries().entrySet()) {
      String name = query.getKey();
      Statement statement = plans.queries().get(name);
      if (statement == null) {
        throw new ConfigException(
            "workload.parameters." + name,
            "has no statement for %s in queries/%s".formatted(plans.system(), name));
      }
      List<Object> found = new ArrayList<>();
      for (Map<String, Object> row : admin.ask(statement, Map.of(), query.getValue()).rows()) {
        found.addAll(row.values().stream().limit(1).toList());
      }
      if (found.isEmpty()) {
        throw new ConfigException(
            "workload.parameters." + name,
            "the query in %s returned no value".formatted(statement.place().file()));
      }
      found.sort(Comparator.comparing(String::valueOf));
      StatementsWorkload.Fingerprint hash = new StatementsWorkload.Fingerprint();
      found.forEach(value -> hash.add(String.valueOf(value)));
      values.put(name, found);
      description.put(name, Map.of("count", found.size(), "hash", hash.hex()));
    }
    return new QueryValues(values, description);
  }
}
