package io.shardload;

/** The version of this build, as the jar's manifest names it. */
public final class Version {
  private Version() {}

  /** Returns the implementation version, or {@code development} when run from class folders. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
