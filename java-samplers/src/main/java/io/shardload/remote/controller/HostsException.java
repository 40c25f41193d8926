package io.shardload.remote.controller;

import java.util.Collection;

/** A run on load hosts cannot start: one line for each host with a problem. */
public final class HostsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exit;

  HostsException(int exit, Collection<String> lines) {
    super(String.join("\n", lines));
    this.exit = exit;
  }

  /** Throws it if there is a problem. */
  static void refuse(int exit, Collection<String> problems) {
    if (!problems.isEmpty()) {
      throw new HostsException(exit, problems);
    }
  }

  /** 1: wrong configuration; 2: a host is dead or busy, or failed. */
  public int exit() {
    return exit;
  }
}
