package io.shardload.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A small shell process that stops a server after this JVM has ended. It waits on a pipe, which the
 * operating system closes even after kill -9; a line on the pipe dismisses it. It ignores signals
 * of the terminal, because the interrupted process still needs the server to finish its work.
 */
final class Guard {
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, and everything acknowledged is on
  // disk.
  private static final String SCRIPT =
      "trap '' HUP INT TERM; read -r dismissed && exit 0; "
          + "[ \"$(head -n 1 \"$1\" 2>/dev/null)\" = \"$2\" ] && kill -INT \"$2\"";

  // Another process may have the process id by then, so the command line must be the server's.
  private static final String PROGRAM_SCRIPT =
      "trap '' HUP INT TERM; read -r dismissed && exit 0; "
          + "words=$(tr '\\0' ' ' <\"/proc/$2/cmdline\" || ps -o args= -p \"$2\"); "
          + "case $words in *\"$1\"*) kill -KILL \"$2\" ;; esac";

  private final Process process;

  private Guard(Process process) {
    this.process = process;
  }

  /** Guards a PostgreSQL server, as long as its file names this process. */
  static Guard over(Path postmasterFile, long pid) {
    return start(SCRIPT, postmasterFile.toString(), pid);
  }

  /** Guards a server without persistent data, as long as the process runs this program. */
  static Guard over(String program, long pid) {
    return start(PROGRAM_SCRIPT, program, pid);
  }

  private static Guard start(String script, String mark, long pid) {
    try {
      return new Guard(
          Commands.builder(List.of("sh", "-c", script, "guard", mark, Long.toString(pid)))
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
      // It has already ended.
    }
  }
}
