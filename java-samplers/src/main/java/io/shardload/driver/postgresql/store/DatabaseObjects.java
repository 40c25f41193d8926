package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.store.ObjectCatalog;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The objects of a data set by their oids: tables, and what a schema file makes in addition to them
 * (views, sequences, types, routines). An identity is the catalog and the oid: {@code
 * pg_class:16403}. Names always have their schema, so no search path decides what is dropped.
 */
public final class DatabaseObjects implements ObjectCatalog {
  private static final Words WORDS =
      new Words(
          "text",
          "bytea",
          "oid",
          "",
          "tableoid",
          "'shardload_header'::regclass",
          "ON CONFLICT (%1$s) DO UPDATE SET %2$s = EXCLUDED.%2$s",
          "42P01");

  // A name is looked up as in a statement without quotes, and otherwise literally.
  private static final String LOOK =
      """
      SELECT asked, type, identity, 'pg_class:' || oid FROM unnest(?::text[]) AS asked
      CROSS JOIN LATERAL (SELECT coalesce(to_regclass(asked), to_regclass(quote_ident(asked)))::oid
        AS oid) AS found
      CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, oid, 0)
      WHERE oid IS NOT NULL
      """;

  /** Without what an extension makes. */
  private static final String ALL =
      """
      WITH every AS (
        SELECT 'pg_class'::regclass AS class, oid, relnamespace AS schema, 0 AS rank FROM pg_class
          WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        UNION ALL SELECT 'pg_type'::regclass, oid, typnamespace, 1 FROM pg_type
          WHERE typtype IN ('e', 'r', 'd')
        UNION ALL SELECT 'pg_proc'::regclass, oid, pronamespace, 2 FROM pg_proc)
      SELECT class::regclass::text || ':' || every.oid, every.class::oid, every.oid FROM every
      JOIN pg_namespace ON pg_namespace.oid = schema
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = every.oid
          AND (deptype = 'e' OR deptype = 'i' AND class = 'pg_proc'::regclass))
      """;

  private static final String NO_SHARDS =
      " AND NOT (class = 'pg_class'::regclass AND relation_is_a_known_shard(every.oid))";

  private static final String DESCRIBE =
      "SELECT type, identity FROM pg_identify_object(?::oid, ?::oid, 0)";

  /** The newest first. A sequence of a column goes with its table. */
  private static final String EXISTING =
      """
      WITH own AS (
        SELECT split_part(i, ':', 1)::regclass::oid AS class, split_part(i, ':', 2)::oid AS oid, i, n
        FROM unnest(?::text[], ?::text[]) AS given (i, n))
      SELECT i, EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = own.oid
          AND deptype IN ('a', 'i') AND refobjsubid > 0)
      FROM own WHERE CASE WHEN EXISTS (
          SELECT FROM pg_class WHERE class = 'pg_class'::regclass AND oid = own.oid UNION ALL
          SELECT FROM pg_type WHERE class = 'pg_type'::regclass AND oid = own.oid UNION ALL
          SELECT FROM pg_proc WHERE class = 'pg_proc'::regclass AND oid = own.oid)
        THEN (SELECT identity = n OR ?::boolean FROM pg_identify_object(class, own.oid, 0)) ELSE false END
      ORDER BY own.oid DESC
      """;

  /** Partitions and sequences that a table takes with it, although they are not in the list. */
  private static final String ATTACHED =
      """
      WITH own AS (SELECT split_part(i, ':', 2)::oid AS oid FROM unnest(?::text[]) AS i
        WHERE i LIKE 'pg_class:%')
      SELECT DISTINCT type || ' ' || identity FROM pg_depend
      JOIN pg_class ON classid = 'pg_class'::regclass AND objid = pg_class.oid
      CROSS JOIN LATERAL pg_identify_object(classid, objid, 0)
      WHERE refclassid = 'pg_class'::regclass AND refobjid IN (SELECT oid FROM own)
        AND deptype IN ('a', 'i') AND relkind IN ('r', 'p', 'f', 'S')
        AND objid NOT IN (SELECT oid FROM own)
      ORDER BY 1
      """;

  @Override
  public Words words() {
    return WORDS;
  }

  @Override
  public Map<String, DataObject> look(Connection connection, List<String> names)
      throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(LOOK)) {
      look.setArray(1, connection.createArrayOf("text", names.toArray()));
      return ObjectCatalog.read(look);
    }
  }

  /**
   * {@inheritDoc} They are those that only the transaction sees. An object that it has changed is
   * not one of them, nor is one that another transaction has made meanwhile.
   */
  @Override
  public Made making(Connection transaction) {
    return outside -> made(transaction, outside);
  }

  private static List<DataObject> made(Connection transaction, Connection other)
      throws SQLException {
    Map<String, long[]> here = all(transaction);
    here.keySet().removeAll(all(other).keySet());
    List<DataObject> made = new ArrayList<>();
    try (PreparedStatement describe = transaction.prepareStatement(DESCRIBE)) {
      for (Map.Entry<String, long[]> one : here.entrySet()) {
        describe.setLong(1, one.getValue()[0]);
        describe.setLong(2, one.getValue()[1]);
        try (ResultSet row = describe.executeQuery()) {
          row.next();
          made.add(new DataObject(row.getString(1), row.getString(2), one.getKey(), true));
        }
      }
    }
    return made;
  }

  private static Map<String, long[]> all(Connection connection) throws SQLException {
    Map<String, long[]> all = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement()) {
      String sql = Citus.of(statement).installed() ? ALL + NO_SHARDS : ALL;
      try (ResultSet row = statement.executeQuery(sql)) {
        while (row.next()) {
          all.put(row.getString(1), new long[] {row.getLong(2), row.getLong(3)});
        }
      }
    }
    return all;
  }

  @Override
  public List<String> attached(Connection connection, List<DataObject> objects)
      throws SQLException {
    return Queries.texts(
        connection,
        ATTACHED,
        texts(connection, objects.stream().map(DataObject::identity).toList()));
  }

  /**
   * {@inheritDoc} Afterwards it makes sure that exactly these objects are gone: between the look
   * and the drop, another session may have swapped names.
   */
  @Override
  public void drop(Connection transaction, List<DataObject> objects)
      throws SQLException, CallFailure {
    Map<String, Boolean> existing = existing(transaction, objects, false);
    Map<String, DataObject> byIdentity =
        objects.stream().collect(Collectors.toMap(DataObject::identity, o -> o, (a, b) -> a));
    List<DataObject> droppable =
        existing.keySet().stream()
            .filter(identity -> !existing.get(identity))
            .map(byIdentity::get)
            .toList();
    List<DataObject> tables = droppable.stream().filter(o -> o.kind().equals("table")).toList();
    try (Statement statement = transaction.createStatement()) {
      for (DataObject view : droppable.stream().filter(o -> o.kind().endsWith("view")).toList()) {
        statement.execute(dropping(view.kind(), view.name()));
      }
      if (!tables.isEmpty()) {
        // In one statement, because they may refer to each other.
        String names = tables.stream().map(DataObject::name).collect(Collectors.joining(", "));
        statement.execute(dropping("table", names));
      }
      for (DataObject one : droppable) {
        if (!tables.contains(one) && !one.kind().endsWith("view")) {
          statement.execute(dropping(one.kind(), one.name()));
        }
      }
    }
    List<DataObject> dropped = existing.keySet().stream().map(byIdentity::get).toList();
    if (!existing(transaction, dropped, true).isEmpty()) {
      throw new CallFailure(
          "replaced-meanwhile",
          true,
          false,
          "another session replaced a table while it was dropped, so nothing was dropped");
    }
  }

  private static String dropping(String kind, String names) {
    String word =
        switch (kind) {
          case "composite type", "type" -> "TYPE";
          case "function", "procedure", "aggregate" -> "ROUTINE";
          default -> kind.toUpperCase(Locale.ROOT);
        };
    return "DROP " + word + " IF EXISTS " + names;
  }

  /**
   * The identities of those that still exist, with whether each belongs to a column.
   *
   * @param anyName whether they may have another name now
   */
  private static Map<String, Boolean> existing(
      Connection connection, List<DataObject> objects, boolean anyName) throws SQLException {
    Map<String, Boolean> existing = new LinkedHashMap<>();
    try (PreparedStatement ask = connection.prepareStatement(EXISTING)) {
      ask.setArray(1, texts(connection, objects.stream().map(DataObject::identity).toList()));
      ask.setArray(2, texts(connection, objects.stream().map(DataObject::name).toList()));
      ask.setBoolean(3, anyName);
      try (ResultSet row = ask.executeQuery()) {
        while (row.next()) {
          existing.put(row.getString(1), row.getBoolean(2));
        }
      }
    }
    return existing;
  }

  private static java.sql.Array texts(Connection connection, List<String> texts)
      throws SQLException {
    return connection.createArrayOf("text", texts.toArray());
  }
}
