package io.shardload.faults;

import io.shardload.Guard;
import java.io.IOException;

/** How a fault is put into effect and ended. */
public interface Injection {
  /**
   * Puts the fault into effect; it is in effect when this returns.
   *
   * @param guard runs {@link #undo} after this process was killed; null if that is empty
   * @throws IOException it is not in effect
   */
  void begin(Guard guard) throws IOException, InterruptedException;

  /**
   * Ends the fault. Servers may still need time until they answer.
   *
   * @throws IOException it may still be in effect
   */
  void end() throws IOException, InterruptedException;

  /**
   * A shell command that ends the fault after this process was killed; empty if the fault ends with
   * the process.
   */
  String undo();

  /** The one of a fault that has commands. */
  static Injection ofCommands(Fault fault) {
    return new ShellInjection(fault);
  }
}
