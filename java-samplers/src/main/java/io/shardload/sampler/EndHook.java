package io.shardload.sampler;

/**
 * Ends a run in order when this JVM receives a signal (a Jenkins abort sends one to every process
 * of a build): the workers stop, JMeter tears them down, and the generator writes its last line.
 */
final class EndHook {
  private static final long PATIENCE_MILLIS = 20_000;
  private static boolean installed;

  private EndHook() {}

  /** Once per JVM, however many tests it runs. */
  static synchronized void install() {
    if (!installed) {
      installed = true;
      Runtime.getRuntime().addShutdownHook(new Thread(EndHook::end, "shardload-end"));
    }
  }

  private static void end() {
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    try {
      while (SharedGenerator.stop("signal") && System.nanoTime() < deadline) {
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
