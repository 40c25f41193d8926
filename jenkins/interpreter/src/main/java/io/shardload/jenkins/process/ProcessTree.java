package io.shardload.jenkins.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Ends the processes that have a variable in their environment.
 *
 * <p>As {@code hudson.util.ProcessTree.UnixProcess}: one process after another, its children before
 * itself; each gets SIGTERM and, once the time for the whole tree is over, SIGKILL.
 */
public final class ProcessTree {
  private static final Path PROC = Path.of("/proc");
  private static final int LONGEST_PAUSE_MILLIS = 1000;

  private final Duration softKill;

  /**
   * @param softKill how long a tree may take to end after SIGTERM ({@code SoftKillWaitSeconds} of
   *     the agent's JVM)
   */
  public ProcessTree(Duration softKill) {
    this.softKill = softKill;
  }

  /** Ends every process that was started with this variable; returns when all are gone. */
  public void killAll(String variable, String value) throws InterruptedException {
    for (ProcessHandle process : withVariable(variable, value)) {
      killTree(process, System.nanoTime() + softKill.toNanos());
    }
  }

  /** The processes that were started with this variable, by ascending id. */
  public static List<ProcessHandle> withVariable(String variable, String value) {
    String entry = variable + "=" + value;
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != ProcessHandle.current().pid())
        .filter(process -> environment(process.pid()).contains(entry))
        .sorted()
        .toList();
  }

  private static List<String> environment(long pid) {
    try {
      byte[] bytes = Files.readAllBytes(PROC.resolve(Long.toString(pid)).resolve("environ"));
      return Arrays.asList(new String(bytes, StandardCharsets.UTF_8).split("\0", -1));
    } catch (IOException e) {
      // Gone in the meantime, or of another user.
      return List.of();
    }
  }

  private static void killTree(ProcessHandle process, long deadline) throws InterruptedException {
    for (ProcessHandle child : process.children().sorted().toList()) {
      killTree(child, deadline);
    }
    kill(process, deadline);
  }

  private static void kill(ProcessHandle process, long deadline) throws InterruptedException {
    process.destroy();
    int pauseMillis = 10;
    while (runs(process) && System.nanoTime() < deadline) {
      Thread.sleep(pauseMillis);
      pauseMillis = Math.min(pauseMillis * 2, LONGEST_PAUSE_MILLIS);
    }
    if (runs(process)) {
      process.destroyForcibly();
    }
  }

  /** False for a process that has ended and only waits for its parent to notice. */
  private static boolean runs(ProcessHandle process) {
    try {
      String stat = Files.readString(PROC.resolve(Long.toString(process.pid())).resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }
}
