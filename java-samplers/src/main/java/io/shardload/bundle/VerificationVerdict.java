package io.shardload.bundle;

/** The key {@code verdict} of verification.json. */
public final class VerificationVerdict {
  public static final String CLEAN = "clean";
  public static final String WRONG = "wrong";
  public static final String NOT_RUN = "not run";

  private VerificationVerdict() {}
}
