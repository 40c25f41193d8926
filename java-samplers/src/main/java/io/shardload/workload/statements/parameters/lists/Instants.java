package io.shardload.workload.statements.parameters.lists;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/** Points in time in the notations of users and YAML. */
public final class Instants {
  private static final int DATE_LENGTH = "2026-01-31".length();

  /** The range that all systems support. */
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

  private Instants() {}

  /**
   * Reads {@code 2026-01-31T12:00:00Z}, another offset or none (then UTC), a space instead of the
   * T, or a date (then its midnight in UTC). Empty if it is none of the years 1 to 9999.
   */
  public static Optional<Instant> parse(String text) {
    String iso = text.strip().replace(' ', 'T');
    try {
      return Optional.of(read(iso)).filter(Instants::supported);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Whether it is of the years 1 to 9999; infinity is not. */
  static boolean supported(Instant instant) {
    return !instant.isBefore(EARLIEST) && instant.isBefore(END);
  }

  private static Instant read(String iso) {
    if (iso.length() <= DATE_LENGTH) {
      return LocalDate.parse(iso).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
    boolean offset = iso.endsWith("Z") || iso.substring(DATE_LENGTH).matches(".*[+-].*");
    return offset
        ? OffsetDateTime.parse(iso).toInstant()
        : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
  }
}
