package io.shardload.monitoring;

import io.shardload.monitoring.Reading.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one server reports, as it comes in part by part. */
public final class Sheet {
  private final String server;
  private final String role;
  private final List<Reading> readings = new ArrayList<>();
  private final Map<String, String> refused = new TreeMap<>();

  public Sheet(String server, String role) {
    this.server = server;
    this.role = role;
  }

  /** Another one of the same server. */
  public Sheet empty() {
    return new Sheet(server, role);
  }

  public String server() {
    return server;
  }

  public List<Reading> readings() {
    return readings;
  }

  /** By server and part, as {@link Readings#refused}. */
  public Map<String, String> refused() {
    return refused;
  }

  /** The server answers, and has this version. */
  public void up(String version) {
    up(1);
    gauge("shardload_server_version_info", "Version of the server.", 1, "version", version);
  }

  /** The server does not answer. */
  public Sheet down(String reason) {
    up(0);
    refused.put(server + " connection", reason);
    return this;
  }

  private void up(double value) {
    gauge("shardload_server_up", "Whether the server answered.", value);
  }

  /** A part has been reported. */
  public void has(String part) {
    part(part, 1);
  }

  /** A part is left out. */
  public void lacks(String part, String reason) {
    part(part, 0);
    refused.put(server + " " + part, reason);
  }

  private void part(String part, double up) {
    gauge("shardload_server_part_up", "Whether the server reported this part.", up, "part", part);
  }

  /**
   * Adds a value.
   *
   * @param labels names and values in turn
   */
  public void gauge(String name, String help, double value, String... labels) {
    add(Kind.GAUGE, name, help, value, labels);
  }

  /** Adds a value that only grows; otherwise as {@link #gauge}. */
  public void counter(String name, String help, double value, String... labels) {
    add(Kind.COUNTER, name, help, value, labels);
  }

  /** As {@link #gauge} or {@link #counter}. */
  public void add(Kind kind, String name, String help, double value, String... labels) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    add(kind, name, help, value, all);
  }

  /** Adds a value, with the server and its role as further labels. */
  public void add(Kind kind, String name, String help, double value, Map<String, String> labels) {
    Map<String, String> all = new HashMap<>(labels);
    all.put("server", server);
    all.put("role", role);
    readings.add(new Reading(name, kind, help, all, value));
  }
}
