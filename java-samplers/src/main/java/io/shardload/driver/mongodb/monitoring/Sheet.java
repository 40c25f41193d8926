package io.shardload.driver.mongodb.monitoring;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoServerException;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonInvalidOperationException;

/** Collects what one server reports, part by part. */
final class Sheet {
  private static final int UNAUTHORIZED = 13;

  private final String server;
  private final Role role;
  private final List<Reading> readings = new ArrayList<>();
  private final Map<String, String> refused = new TreeMap<>();

  Sheet(String server, Role role) {
    this.server = server;
    this.role = role;
  }

  String server() {
    return server;
  }

  List<Reading> readings() {
    return readings;
  }

  /** By server and part, as {@link io.shardload.monitoring.Readings#refused}. */
  Map<String, String> refused() {
    return refused;
  }

  /** Asks for one part. */
  interface Question {
    void ask();
  }

  /**
   * Asks; what the server refuses is left out. A lost connection ends the whole server's turn.
   *
   * @return whether the server answered
   */
  boolean part(String name, Question question) {
    try {
      question.ask();
      partUp(name, 1);
      return true;
    } catch (MongoServerException e) {
      if (e instanceof MongoCommandException answer && Failures.postgresqlRefused(answer)) {
        throw e;
      }
      lacks(name, reason(e));
    } catch (BsonInvalidOperationException e) {
      lacks(name, "the answer has an unexpected form: " + e.getMessage());
    } catch (MongoExecutionTimeoutException e) {
      lacks(name, "takes longer than " + Commands.LIMIT.toSeconds() + " s");
    }
    return false;
  }

  /** Leaves a part out. */
  void lacks(String part, String reason) {
    partUp(part, 0);
    refused.put(server + " " + part, reason);
  }

  /** Says whether the server answers at all. */
  void up(boolean answers) {
    gauge("shardload_server_up", "Whether the server answered.", answers ? 1 : 0);
  }

  void version(String version) {
    gauge("shardload_server_version_info", "Version of the server.", 1, "version", version);
  }

  void gauge(String name, String help, double value, String... labels) {
    add(Reading.Kind.GAUGE, name, help, value, labels);
  }

  void counter(String name, String help, double value, String... labels) {
    add(Reading.Kind.COUNTER, name, help, value, labels);
  }

  /** Adds a reading to the labels of which the server and its role are added. */
  void add(Reading.Kind kind, String name, String help, double value, String... labels) {
    Map<String, String> all = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    all.put("server", server);
    all.put("role", role.label());
    readings.add(new Reading(name, kind, help, all, value));
  }

  private void partUp(String part, int up) {
    gauge("shardload_server_part_up", "Whether the server reported this part.", up, "part", part);
  }

  private static String reason(MongoException e) {
    return Failures.code(e) == UNAUTHORIZED
        ? "this user may not read it; the role clusterMonitor on admin allows it"
        : Failures.firstLine(e);
  }
}
