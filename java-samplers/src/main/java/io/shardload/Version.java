package io.shardload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The versions of this build and of the JMeter that it is made for. */
public final class Version {
  private Version() {}

  /** Returns the implementation version, or {@code development} when run from class folders. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** The version of JMeter that this build belongs to. */
  public static String jmeter() {
    Properties versions = new Properties();
    try (InputStream file = Version.class.getResourceAsStream("versions.properties")) {
      versions.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return versions.getProperty("jmeter");
  }
}
