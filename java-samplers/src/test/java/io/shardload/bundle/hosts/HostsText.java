package io.shardload.bundle.hosts;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;

/** The content of hosts.json as tests write it. */
public final class HostsText {
  private HostsText() {}

  /** Reads it; single quotes stand for double ones. */
  public static HostMetrics read(String singleQuoted) {
    try {
      return HostsFile.read(new StringReader(singleQuoted.replace('\'', '"')));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
