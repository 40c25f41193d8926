package io.shardload;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.regex.Pattern;

/**
 * Text for a console. Servers wrote a part of it, perhaps before they proved who they are: no
 * terminal may take it for a command. The Python side has the same characters, in {@code
 * terminal.py}.
 */
public final class PlainOutput extends FilterOutputStream {
  // C0 without tab and line feed, DEL, C1; overrides and isolates of the writing direction.
  private static final Pattern CONTROLS =
      Pattern.compile("[\\p{Cc}&&[^\\t\\n]]|[\\u202A-\\u202E\\u2066-\\u2069]");

  private PlainOutput(OutputStream out) {
    super(out);
  }

  /** A stream that replaces what controls a terminal. */
  public static PrintStream to(OutputStream out) {
    return new PrintStream(new PlainOutput(out), true, Charset.defaultCharset());
  }

  @Override
  public void write(int single) throws IOException {
    write(new byte[] {(byte) single}, 0, 1);
  }

  @Override
  public void write(byte[] text, int from, int length) throws IOException {
    String printed = new String(text, from, length, Charset.defaultCharset());
    out.write(CONTROLS.matcher(printed).replaceAll("\uFFFD").getBytes(Charset.defaultCharset()));
  }
}
