package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The time of compiler threads, from files as the kernel writes them. */
class JitTimeTest {
  private static final long MS = 1_000_000;

  @TempDir Path threads;

  private void thread(int id, String name, int user, int kernel) throws IOException {
    String stat =
        "%d (%s) S 1 7 7 0 -1 1077936192 900 0 3 0 %d %d 0 0 20 0 24 0 81212 0"
            .formatted(id, name, user, kernel);
    Files.writeString(
        Files.createDirectories(threads.resolve("" + id)).resolve("stat"), stat + "\n");
  }

  /** Ticks of 10 ms, user and kernel. Mutations: the kernel's alone; all threads. */
  @Test
  void addsTheCompilersAndNoOther() throws IOException {
    thread(7, "java", 900, 100);
    thread(12, "C2 CompilerThre", 31, 2);
    thread(13, "C1 CompilerThre", 7, 0);
    thread(20, "workers (1) a b", 500, 500);
    assertThat(new JitTime(threads).nanos()).isEqualTo(400 * MS);
  }

  /** The JVM ends idle compiler threads. Mutation: forget what they used. */
  @Test
  void keepsTheTimeOfACompilerThatEnded() throws IOException {
    JitTime jit = new JitTime(threads);
    thread(12, "C2 CompilerThre", 30, 0);
    thread(14, "C2 CompilerThre", 20, 0);
    assertThat(jit.nanos()).isEqualTo(500 * MS);
    Files.delete(threads.resolve("14/stat"));
    Files.delete(threads.resolve("14"));
    thread(12, "C2 CompilerThre", 33, 0);
    thread(15, "C1 CompilerThre", 1, 1);
    assertThat(jit.nanos()).isEqualTo(550 * MS);
  }

  /** Another virtual machine, or another system. */
  @Test
  void isUnknownWithoutCompilersAndWithoutThreads() throws IOException {
    thread(7, "java", 900, 100);
    assertThat(new JitTime(threads).nanos()).isEqualTo(JitTime.UNKNOWN);
    assertThat(new JitTime(threads.resolve("none")).nanos()).isEqualTo(JitTime.UNKNOWN);
  }

  @Test
  void knowsThatOfThisProcess() {
    assertThat(ProcessUse.now().jitNanos()).isPositive();
  }
}
