package io.shardload.driver.postgresql.facts;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Machine;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The machines that the nodes run on. PostgreSQL does not report them, but on Linux it can read the
 * kernel's files, if the user may execute {@code pg_read_file} and read any file: a superuser, or a
 * member of pg_read_server_files who was granted the function.
 */
public final class Machines {
  // Lengths are given because files of the kernel have a size of 0. The control group's limit is
  // there inside of a container only.
  private static final String FACTS =
      """
      SELECT json_build_object(
        'boot', pg_read_file('/proc/sys/kernel/random/boot_id', 0, 99, true),
        'kernel', pg_read_file('/proc/sys/kernel/osrelease', 0, 999, true),
        'ram', substring(pg_read_file('/proc/meminfo', 0, 999, true) FROM 'MemTotal: *([0-9]+) kB'),
        'limit', coalesce(pg_read_file('/sys/fs/cgroup/memory.max', 0, 99, true),
          pg_read_file('/sys/fs/cgroup/memory/memory.limit_in_bytes', 0, 99, true)),
        'cpus', (SELECT count(*) FROM regexp_matches(info, '^processor', 'gn')),
        'cpu', substring(info FROM 'model name[^:]*: *([^\\n]*)'))::text
      FROM pg_read_file('/proc/cpuinfo', 0, 9999999, true) AS info
      """;
  static final String NODES =
      """
      SELECT nodename || ':' || nodeport, shouldhaveshards, success, result
      FROM run_command_on_all_nodes($shardload$ %s $shardload$) JOIN pg_dist_node USING (nodeid)
      WHERE noderole = 'primary' ORDER BY nodename, nodeport
      """
          .formatted(FACTS);

  private static final Pattern NUMBER = Pattern.compile("\\s*(\\d{1,18})\\s*");
  private static final String TRUE = "t";
  private static final long KIB = 1024;

  private Machines() {}

  /** Empty if the server does not allow this user to query it. */
  public static List<Machine> read(Statement statement) throws SQLException {
    try {
      List<Machine> nodes = Citus.of(statement).installed() ? nodes(statement) : new ArrayList<>();
      return nodes.isEmpty()
          ? List.of(machine("the server", true, facts(Queries.text(statement, FACTS))))
          : nodes;
    } catch (SQLException e) {
      if (DataHosts.isNotReported(e)) {
        return List.of();
      }
      throw e;
    }
  }

  /** Nodes without a limit of their own that run under one kernel share its RAM. */
  private static List<Machine> nodes(Statement statement) throws SQLException {
    Map<String, Machine> byKernel = new LinkedHashMap<>();
    try (ResultSet rows = statement.executeQuery(NODES)) {
      while (rows.next()) {
        String host = rows.getString(1);
        boolean success = rows.getString(3).equals(TRUE);
        JsonObject facts = success ? facts(rows.getString(4)) : new JsonObject();
        Machine machine = machine(host, rows.getString(2).equals(TRUE), facts);
        boolean shares = facts.has("boot") && limit(facts) == Long.MAX_VALUE;
        byKernel.merge(shares ? text(facts, "boot") : host, machine, Machines::together);
      }
    }
    return List.copyOf(byKernel.values());
  }

  private static Machine together(Machine one, Machine other) {
    return new Machine(
        one.host() + ", " + other.host(),
        one.holdsDocuments() || other.holdsDocuments(),
        one.cpu(),
        one.cpus(),
        one.ramBytes(),
        one.kernel());
  }

  private static JsonObject facts(String json) {
    return json.isEmpty() ? new JsonObject() : JsonParser.parseString(json).getAsJsonObject();
  }

  private static Machine machine(String host, boolean holdsDocuments, JsonObject facts) {
    long ram = number(facts, "ram", 0) * KIB;
    return new Machine(
        host,
        holdsDocuments,
        text(facts, "cpu"),
        (int) number(facts, "cpus", 0),
        Math.min(ram, limit(facts)),
        text(facts, "kernel"));
  }

  /** The control group's limit; there may be none. */
  private static long limit(JsonObject facts) {
    long limit = number(facts, "limit", Long.MAX_VALUE);
    // Version 1 says "none" by a number near 2^63, in pages.
    return limit > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : limit;
  }

  private static long number(JsonObject facts, String name, long otherwise) {
    Matcher number = NUMBER.matcher(text(facts, name));
    return number.matches() ? Long.parseLong(number.group(1)) : otherwise;
  }

  private static String text(JsonObject facts, String name) {
    JsonElement value = facts.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString().strip();
  }
}
