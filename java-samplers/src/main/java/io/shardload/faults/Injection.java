package io.shardload.faults;

import java.io.IOException;

/** How a fault is put into effect and ended. */
public interface Injection {
  /**
   * Puts the fault into effect; it is in effect when this returns.
   *
   * @throws IOException it is not in effect
   */
  void begin() throws IOException, InterruptedException;

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
