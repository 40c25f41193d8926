package io.shardload.workload.statements.port;

/**
 * A problem of a folder, in one line.
 *
 * @param place the position of the problem
 * @param text the description, as the rest of the line
 */
public record Problem(Place place, String text) {
  @Override
  public String toString() {
    return place + ": " + text;
  }
}
