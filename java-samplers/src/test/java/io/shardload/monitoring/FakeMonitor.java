package io.shardload.monitoring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** A fake that answers what it was told to, and the last of it again and again. */
final class FakeMonitor implements ServerMonitor {
  private final Deque<Readings> answers = new ArrayDeque<>();
  int reads;
  boolean closed;

  FakeMonitor answer(double value, Map<String, String> refused) {
    answers.add(new Readings(List.of(Reading.gauge("up", "Up.", Map.of(), value)), refused));
    return this;
  }

  @Override
  public Readings read() {
    reads++;
    return answers.size() > 1 ? answers.remove() : answers.element();
  }

  @Override
  public List<ServerHost> hosts() {
    return List.of();
  }

  @Override
  public void close() {
    closed = true;
  }
}
