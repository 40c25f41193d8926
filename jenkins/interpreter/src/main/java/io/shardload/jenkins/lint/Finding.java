package io.shardload.jenkins.lint;

import java.util.Comparator;

/** A problem in a line of a Jenkinsfile. */
public record Finding(int line, String message) implements Comparable<Finding> {
  private static final Comparator<Finding> ORDER =
      Comparator.comparingInt(Finding::line).thenComparing(Finding::message);

  @Override
  public int compareTo(Finding other) {
    return ORDER.compare(this, other);
  }
}
