package io.shardload.dataset;

import io.shardload.driver.Header;
import io.shardload.workload.Model;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables that shardload made for a data set, as its header records them. They are kept next to
 * the shape of the data but are not part of it: two shapes are compared without them.
 */
final class MadeTables {
  private static final String KEY = "made-tables";

  private MadeTables() {}

  /** None in the header of a data set whose schema makes other things too, or of an old version. */
  static List<String> of(Header header) {
    String recorded = header.shape().getOrDefault(KEY, "");
    return recorded.isEmpty() ? List.of() : List.of(recorded.split(","));
  }

  /** The shape of a model with its tables. */
  static Map<String, String> with(Model<?> model) {
    Map<String, String> shape = new LinkedHashMap<>(model.shape());
    if (!model.tables().isEmpty()) {
      shape.put(KEY, String.join(",", model.tables()));
    }
    return shape;
  }

  static Map<String, String> without(Map<String, String> shape) {
    Map<String, String> content = new LinkedHashMap<>(shape);
    content.remove(KEY);
    return content;
  }
}
