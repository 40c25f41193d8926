package io.shardload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A small shell process that runs a script after this JVM has ended. It waits on a pipe, which the
 * operating system closes even after kill -9; a line on the pipe dismisses it. It ignores signals
 * of the terminal, because the interrupted process may still have work to do.
 */
public final class Guard {
  private static final String WAIT =
      "trap '' HUP INT TERM; "
          + "while read -r line; do [ \"$line\" = dismissed ] && exit 0; noted=$line; done; ";

  private final Process process;

  private Guard(Process process) {
    this.process = process;
  }

  /** Starts to wait; {@code arguments} are {@code $1} and so on in the script. */
  public static Guard start(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", WAIT + script, "guard"));
    command.addAll(List.of(arguments));
    return new Guard(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The script has the last of these words in {@code $noted}. */
  public void note(String word) {
    try {
      OutputStream pipe = process.getOutputStream();
      pipe.write((word + "\n").getBytes(StandardCharsets.UTF_8));
      pipe.flush();
    } catch (IOException e) {
      // It has already ended.
    }
  }

  /** The script is not run. */
  public void dismiss() {
    try (OutputStream pipe = process.getOutputStream()) {
      pipe.write("dismissed\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It has already ended.
    }
  }
}
