package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts what runs in a block of {@code timeout}.
 *
 * <p>As {@code TimeoutStepExecution}: when the time is over, the running step is asked to end; what
 * then still runs in the block after a grace period, post conditions too, fails at once.
 */
public final class Timer {
  private static final String CAUSE = "Timeout has been exceeded";

  private final Build build;
  private final Interruption end = new Interruption(Result.ABORTED, CAUSE, false);
  private final Interruption death = new Interruption(Result.ABORTED, CAUSE, true);
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "timeout");
            thread.setDaemon(true);
            return thread;
          });

  Timer(Build build, long millis) {
    this.build = build;
    long grace = build.setup().timeoutGrace().toMillis();
    schedule(end, "Cancelling nested steps due to timeout", millis);
    schedule(
        death,
        "Body did not finish within grace period; terminating with extreme prejudice",
        millis + grace);
  }

  private void schedule(Interruption interruption, String message, long millis) {
    var unused =
        executor.schedule(
            () -> {
              build.console().print(message);
              build.interruptions().interrupt(interruption);
            },
            millis,
            TimeUnit.MILLISECONDS);
  }

  void stop() {
    executor.shutdownNow();
    build.interruptions().withdraw(end);
    build.interruptions().withdraw(death);
  }
}
