package io.shardload.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A small shell process that stops a server when this JVM is gone. It waits on a pipe, which the
 * operating system closes even after kill -9; a line on the pipe dismisses it. Signals of the
 * terminal do not touch it, since whoever they interrupt still needs the server to finish its work.
 */
final class Guard {
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, everything acknowledged is on disk.
  private static final String SCRIPT =
      "trap '' HUP INT TERM; read -r dismissed && exit 0; "
          + "[ \"$(head -n 1 \"$1\" 2>/dev/null)\" = \"$2\" ] && kill -INT \"$2\"";

  private final Process process;

  private Guard(Process process) {
    this.process = process;
  }

  static Guard over(Path postmasterFile, long pid) {
    try {
      return new Guard(
          Commands.builder(
                  List.of(
                      "sh", "-c", SCRIPT, "guard", postmasterFile.toString(), Long.toString(pid)))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot start sh: " + e, e);
    }
  }

  void dismiss() {
    try (OutputStream pipe = process.getOutputStream()) {
      pipe.write("dismissed\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It is gone already.
    }
  }
}
