package io.shardload.verify;

import io.shardload.workload.Model;

/**
 * One wrong document.
 *
 * @param ordinal of the document, or null where no ordinal can have made it
 * @param name that the data has for the ordinal, such as its key; empty if it has none
 */
public record Finding(Kind kind, Long ordinal, String detail, String name) {
  Finding named(Model<?> model) {
    return new Finding(kind, ordinal, detail, ordinal == null ? "" : model.nameOf(ordinal));
  }

  /** What is wrong, in the words of the report. */
  public enum Kind {
    /** Acknowledged and never deleted, but missing. */
    LOST,
    /** Its delete was acknowledged, but the document exists. */
    RESURRECTED,
    /** One ordinal in two rows. */
    DOUBLED,
    /** A row that no ordinal owns, or whose insert was never sent or certainly failed. */
    FOREIGN,
    /** Its content does not match its edition, or its edition was never written. */
    CORRUPTED,
    /** At an older edition than the last acknowledged edition. */
    STALE;

    public String label() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
