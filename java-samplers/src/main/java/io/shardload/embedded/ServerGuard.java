package io.shardload.embedded;

import io.shardload.Guard;
import java.io.IOException;
import java.nio.file.Path;

/** Stops a server after this JVM has ended. */
final class ServerGuard {
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, and everything acknowledged is on
  // disk.
  private static final String SCRIPT =
      "[ \"$(head -n 1 \"$1\" 2>/dev/null)\" = \"$2\" ] && kill -INT \"$2\"";

  // Another process may have the process id by then, so the command line must be the server's.
  private static final String PROGRAM_SCRIPT =
      "words=$(tr '\\0' ' ' <\"/proc/$2/cmdline\" || ps -o args= -p \"$2\"); "
          + "case $words in *\"$1\"*) kill -KILL \"$2\" ;; esac";

  private ServerGuard() {}

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
      return Guard.start(script, mark, Long.toString(pid));
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot start sh: " + e, e);
    }
  }
}
