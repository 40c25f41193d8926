package io.shardload.jenkins.build;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The console log of a build. */
public final class Console implements AutoCloseable {
  private final Masking masking = new Masking();
  private final PrintStream out;

  public Console(Path file) throws IOException {
    out = new PrintStream(file.toFile(), StandardCharsets.UTF_8);
  }

  public Masking masking() {
    return masking;
  }

  /** Adds lines, with the secrets of the running step hidden. */
  public synchronized void print(String text) {
    text.lines().forEach(line -> out.println(masking.mask(line)));
    out.flush();
  }

  @Override
  public void close() {
    out.close();
  }
}
