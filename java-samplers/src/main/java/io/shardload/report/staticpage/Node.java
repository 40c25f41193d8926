package io.shardload.report.staticpage;

import java.util.List;
import java.util.Map;

/** A node of a drawn page. */
sealed interface Node {
  /**
   * An element.
   *
   * @param name of HTML or SVG
   * @param attributes in the order in which they were set
   * @param children in their order
   */
  record Element(String name, Map<String, String> attributes, List<Node> children)
      implements Node {}

  /**
   * Text, not escaped.
   *
   * @param value not escaped
   */
  record Text(String value) implements Node {}
}
