package io.shardload.bundle;

/** The key {@code verdict} of verification.json. */
public final class VerificationVerdict {
  public static final String CLEAN = "clean";
  public static final String WRONG = "wrong";
  public static final String NOT_RUN = "not run";

  /** The profile asked for no verification, and the data set was settled without it. */
  public static final String SKIPPED = "skipped";

  private VerificationVerdict() {}
}
