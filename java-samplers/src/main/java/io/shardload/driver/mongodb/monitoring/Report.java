package io.shardload.driver.mongodb.monitoring;

import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.util.List;

/**
 * The result of one server's turn.
 *
 * @param refusal why the server did not answer, or empty if it did
 * @param key of the configuration that needs to change
 * @param found servers of the cluster that it names
 * @param namesAll whether these are all that it knows, and nothing was refused
 */
record Report(Sheet sheet, String refusal, String key, List<Found> found, boolean namesAll) {
  /**
   * A server that another one names.
   *
   * @param role null if only the server itself can say
   */
  record Found(String name, String group, Role role) {}

  /** A server that did not answer. */
  static Report down(Server server, String key, String refusal) {
    return new Report(server.sheet().down(refusal), refusal, key, List.of(), false);
  }

  boolean up() {
    return refusal.isEmpty();
  }
}
