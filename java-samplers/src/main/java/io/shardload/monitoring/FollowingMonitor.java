package io.shardload.monitoring;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Monitors a server that is restarted with another address each time. Not thread-safe. */
public final class FollowingMonitor implements ServerMonitor {
  private static final String CONNECTION = "server connection";

  private final Supplier<Optional<String>> address;
  private final Function<String, ServerMonitor> open;
  private final String absent;
  private String current = "";
  private ServerMonitor monitor;

  /**
   * @param address of the server now; empty while there is none; throws where it cannot be read
   * @param open connects to it, or throws
   * @param absent why there is none, in words
   */
  public FollowingMonitor(
      Supplier<Optional<String>> address, Function<String, ServerMonitor> open, String absent) {
    this.address = address;
    this.open = open;
    this.absent = absent;
  }

  @Override
  public Readings read() {
    try {
      Optional<String> now = address.get();
      if (!now.orElse("").equals(current)) {
        close();
      }
      if (now.isEmpty()) {
        return nothing(absent);
      }
      follow(now.get());
    } catch (RuntimeException e) {
      return nothing(String.valueOf(e.getMessage()));
    }
    return monitor.read();
  }

  private void follow(String now) {
    if (monitor == null) {
      monitor = open.apply(now);
      current = now;
    }
  }

  private static Readings nothing(String reason) {
    return new Readings(List.of(), Map.of(CONNECTION, reason));
  }

  @Override
  public List<ServerHost> hosts() {
    return List.of();
  }

  @Override
  public void close() {
    if (monitor != null) {
      monitor.close();
    }
    monitor = null;
    current = "";
  }
}
