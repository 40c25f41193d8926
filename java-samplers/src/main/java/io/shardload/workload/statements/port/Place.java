package io.shardload.workload.statements.port;

/**
 * A position in a workload folder.
 *
 * @param file relative to the folder, with slashes
 * @param line from 1
 */
public record Place(String file, int line) {
  @Override
  public String toString() {
    return file + ":" + line;
  }
}
