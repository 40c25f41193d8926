package io.shardload.config;

import java.util.ArrayList;
import java.util.List;

/**
 * A verb that may help, for the same target, workload and overrides. The command line renders it,
 * because only the command line knows how it was called.
 *
 * @param purpose what the command is for, as the beginning of a line: "to settle the run"
 * @param verb of the command line
 * @param flags of the verb, without those that choose target, workload and overrides
 */
public record Advice(String purpose, String verb, List<String> flags) {
  public Advice {
    flags = List.copyOf(flags);
  }

  /** Settles a run from its journals and compares every document. */
  public static Advice verify(String purpose) {
    return new Advice(purpose, "verify", List.of());
  }

  /**
   * Drops existing data and loads it again.
   *
   * @param consents flags that the verb requires
   */
  public static Advice recreate(String purpose, String... consents) {
    List<String> flags = new ArrayList<>(List.of("--recreate"));
    flags.addAll(List.of(consents));
    return new Advice(purpose, "load", flags);
  }

  /**
   * Drops tables that are not recorded as created by shardload. It may have created them for a data
   * set whose record is gone.
   *
   * @param consents further flags that the verb requires
   */
  public static Advice replaceForeign(String... consents) {
    List<String> all = new ArrayList<>(List.of("--replace-foreign"));
    all.addAll(List.of(consents));
    return recreate(
        "to drop it although it is not recorded as shardload's", all.toArray(String[]::new));
  }

  @Override
  public String toString() {
    return (purpose + ": " + verb + " " + String.join(" ", flags)).trim();
  }
}
