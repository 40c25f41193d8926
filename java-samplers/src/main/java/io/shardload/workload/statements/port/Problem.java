package io.shardload.workload.statements.port;

/**
 * What is wrong with a folder, in one line.
 *
 * @param place where it stands
 * @param text what is wrong, as the rest of the line
 */
public record Problem(Place place, String text) {
  @Override
  public String toString() {
    return place + ": " + text;
  }
}
