package io.shardload.faults;

import io.shardload.Guard;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A fault that commands of the user's begin and end. */
record ShellInjection(Fault fault) implements Injection {
  private static final long TIMEOUT_SECONDS = 120;
  private static final int MOST_BYTES = 400;

  /**
   * Kills a begin that still runs, with all processes below it: it must not go on after the end.
   */
  private static final String KILL_BEGIN =
      "[ -z \"$noted\" ] || kill -KILL \"$noted\" $(ps -A -o pid= -o ppid= | awk -v top=\"$noted\" '"
          + "{ parent[$1] = $2 } END { for (pid in parent) { "
          + "for (above = parent[pid]; above in parent && above != top;) above = parent[above]; "
          + "if (above == top) print pid } }'); ";

  @Override
  public void begin(Guard guard) throws IOException, InterruptedException {
    Process process = start(fault.begin());
    guard.note(Long.toString(process.pid()));
    await(process);
    guard.note("");
  }

  @Override
  public void end() throws IOException, InterruptedException {
    await(start(fault.end()));
  }

  @Override
  public String undo() {
    return KILL_BEGIN + fault.end();
  }

  private static void await(Process process) throws IOException, InterruptedException {
    // The first bytes say what went wrong. A server that the command starts may hold the pipe open.
    byte[] said = new byte[MOST_BYTES];
    if (!ends(process, TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS))) {
      throw new IOException("did not return within " + TIMEOUT_SECONDS + " s");
    }
    InputStream output = process.getInputStream();
    int length = output.read(said, 0, Math.min(MOST_BYTES, output.available()));
    if (process.exitValue() != 0) {
      String text = new String(said, 0, Math.max(0, length), StandardCharsets.UTF_8).strip();
      String words = text.isEmpty() ? "" : ": " + text.lines().findFirst().orElse("");
      throw new IOException("ended with code " + process.exitValue() + words);
    }
  }

  /** Whether a command ends well within a time. */
  static boolean succeeds(String command, long millis) throws IOException, InterruptedException {
    Process process = start(command);
    return ends(process, millis) && process.exitValue() == 0;
  }

  /** Whether a process ends in time; it is killed if it does not, or if nobody waits any more. */
  private static boolean ends(Process process, long millis) throws InterruptedException {
    boolean ended = false;
    try {
      ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
    } finally {
      if (!ended) {
        kill(process);
      }
    }
    return ended;
  }

  private static Process start(String command) throws IOException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
        .start();
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
