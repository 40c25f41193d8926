package io.shardload.driver.postgresql.statements.draft;

import io.shardload.config.ConfigException;
import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Index;
import io.shardload.driver.postgresql.statements.draft.Tables.Reference;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the tables of a database, without those of extensions and of shardload itself. */
final class Catalog {
  private static final String TABLES =
      """
      SELECT c.oid, nspname, relname, quote_ident(nspname) || '.' || quote_ident(relname),
        quote_ident(relname), quote_ident(nspname || '_' || relname),
        (CASE relkind WHEN 'r' THEN reltuples ELSE
          (SELECT coalesce(nullif(sum(greatest(p.reltuples, 0)), 0), -1) FROM pg_partition_tree(c.oid) t
            JOIN pg_class p ON p.oid = t.relid WHERE isleaf) END)::bigint,
        coalesce((SELECT option_value FROM pg_options_to_table(reloptions)
          WHERE option_name = 'fillfactor'), ''),
        has_table_privilege(c.oid, 'SELECT'), relkind = 'p',
        (SELECT count(*) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal),
        (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c'),
        (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'x')
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND NOT relispartition
        AND nspname !~ '^pg_' AND nspname <> 'information_schema'
        AND has_schema_privilege(n.oid, 'USAGE')
        AND relname NOT IN ('shardload_header', 'shardload_state')
        AND NOT EXISTS (SELECT FROM pg_depend
          WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
      ORDER BY relname, nspname
      """;

  private static final String COLUMNS =
      """
      SELECT attrelid, attnum, attname, quote_ident(attname), b.typname, coalesce(e.typname, ''),
        modifier, format_type(b.oid, modifier), attnotnull OR t.typnotnull, attgenerated <> '',
        (SELECT count(*) FROM pg_enum WHERE enumtypid = coalesce(e.oid, b.oid)),
        coalesce(e.oid, b.oid), quote_ident(coalesce(e.typname, b.typname)),
        quote_ident(nspname || '_' || coalesce(e.typname, b.typname)), nspname = 'pg_catalog'
      FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
        JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
        LEFT JOIN pg_type e ON b.typcategory = 'A' AND e.oid = b.typelem
        JOIN pg_namespace n ON n.oid = coalesce(e.typnamespace, b.typnamespace)
        CROSS JOIN LATERAL
          (SELECT CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE atttypmod END AS modifier) m
      WHERE attnum > 0 AND NOT attisdropped
        AND attrelid IN (SELECT oid FROM pg_class WHERE relkind IN ('r', 'p'))
      ORDER BY attrelid, attnum
      """;

  /** Without pg_get_indexdef, which waits for locks of the table. */
  private static final String INDEXES =
      """
      SELECT indrelid, relname, indisunique, indisprimary, indexprs IS NOT NULL, indpred IS NOT NULL,
        (SELECT string_agg(k::text, ' ' ORDER BY n) FROM unnest(indkey) WITH ORDINALITY AS u (k, n)
          WHERE n <= indnkeyatts),
        ' USING ' || amname || ' (' || (
          SELECT string_agg(quote_ident(attname)
            || CASE WHEN opcdefault THEN '' ELSE ' ' || opcname END
            || CASE WHEN amname <> 'btree' OR o = 0 THEN '' ELSE
              (ARRAY[' DESC NULLS LAST', ' NULLS FIRST', ' DESC'])[o] END, ', ' ORDER BY n)
          FROM unnest(indkey) WITH ORDINALITY AS u (k, n)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = k
            JOIN pg_opclass op ON op.oid = indclass[n - 1]
            CROSS JOIN LATERAL (SELECT indoption[n - 1] AS o) l
          WHERE n <= indnkeyatts) || ')'
        || coalesce((SELECT ' INCLUDE (' || string_agg(quote_ident(attname), ', ' ORDER BY n) || ')'
          FROM unnest(indkey) WITH ORDINALITY AS u (k, n)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = k WHERE n > indnkeyatts), ''),
        (SELECT bool_and(opcdefault OR opcnamespace = 'pg_catalog'::regnamespace) FROM unnest(indclass) AS u (k)
          JOIN pg_opclass op ON op.oid = k), quote_ident(relname), amname
      FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am ON pg_am.oid = c.relam
      WHERE NOT indisexclusion ORDER BY indrelid, NOT indisprimary, relname
      """;

  private static final String REFERENCES =
      """
      SELECT conrelid, confrelid, array_to_string(conkey, ' '), array_to_string(confkey, ' ')
      FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
      ORDER BY conrelid, array_length(conkey, 1), conname
      """;

  private static final String OTHERS =
      """
      SELECT quote_ident(nspname) || '.' || quote_ident(relname) FROM pg_class c
        JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('v', 'm', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
        AND NOT EXISTS (SELECT FROM pg_depend
          WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
      ORDER BY 1
      """;

  final Map<String, Table> tables = new LinkedHashMap<>();

  /** Numbers of labels of the enum types that columns use, by the types' names in SQL. */
  final Map<String, Integer> enums = new LinkedHashMap<>();

  /** What concerns no single table. */
  final List<String> edits = new ArrayList<>();

  private final Statement statement;
  private final Map<String, String> enumNames = new HashMap<>();

  /**
   * @param user for messages
   */
  Catalog(Statement statement, String user) throws SQLException {
    this.statement = statement;
    readTables(user);
    rows(COLUMNS, this::column);
    rows(INDEXES, this::index);
    rows(REFERENCES, this::reference);
    List<String> others = new ArrayList<>();
    rows(OTHERS, row -> others.add(row[0]));
    if (!others.isEmpty()) {
      edits.add("views and foreign tables are left out: " + String.join(", ", others));
    }
  }

  private void rows(String sql, Consumer<String[]> use) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      String[] row = new String[rows.getMetaData().getColumnCount()];
      while (rows.next()) {
        for (int i = 0; i < row.length; i++) {
          row[i] = rows.getString(i + 1);
        }
        use.accept(row.clone());
      }
    }
  }

  private void readTables(String user) throws SQLException {
    List<String[]> found = new ArrayList<>();
    rows(TABLES, found::add);
    List<String> refused = new ArrayList<>();
    Map<String, Integer> names = new HashMap<>();
    found.forEach(row -> names.merge(row[2], 1, Integer::sum));
    Set<String> schemas = new HashSet<>();
    for (String[] row : found) {
      if (!is(row[8])) {
        refused.add(row[3]);
        continue;
      }
      schemas.add(row[1]);
      Table table = new Table(row[3], Long.parseLong(row[6]), row[7]);
      boolean several = names.get(row[2]) > 1;
      table.name = several ? row[1] + "_" + row[2] : row[2];
      table.sql = several ? row[5] : row[4];
      tables.put(row[0], table);
      note(table, row);
    }
    if (tables.isEmpty()) {
      throw new ConfigException(
          refused.isEmpty() ? "target.url" : "target.user",
          refused.isEmpty()
              ? "the database has no table that user %s can see".formatted(user)
              : "may read none of the %d tables, such as %s; GRANT SELECT permits it"
                  .formatted(refused.size(), refused.get(0)));
    }
    if (!refused.isEmpty()) {
      edits.add("left out, because the user may not read them: " + String.join(", ", refused));
    }
    if (schemas.size() > 1) {
      edits.add(
          "the tables of the schemas %s are made in one schema"
              .formatted(String.join(", ", schemas.stream().sorted().toList())));
    }
  }

  private static void note(Table table, String[] row) {
    if (is(row[9])) {
      table.edit("its partitions are left out: add PARTITION BY and the partitions");
    }
    if (!row[10].equals("0")) {
      table.edit("triggers are left out (%s): add them, or what they change".formatted(row[10]));
    }
    if (!row[11].equals("0")) {
      table.edit(
          "check constraints are left out (%s): add them and fit the values".formatted(row[11]));
    }
    if (!row[12].equals("0")) {
      table.edit("exclusion constraints are left out (%s)".formatted(row[12]));
    }
  }

  private void column(String[] row) {
    Table table = tables.get(row[0]);
    if (table == null) {
      return;
    }
    int labels = Integer.parseInt(row[10]);
    String[] type = {row[4], row[5], row[6], row[7]};
    if (labels > 0) {
      type[3] = enumName(row, labels) + (row[5].isEmpty() ? "" : "[]");
    }
    Column column = new Column(table, row[2], row[3], type, is(row[8]), labels);
    if (labels == 0 && !is(row[14])) {
      table.edit("column %s is of type %s: here it is text".formatted(row[2], row[4]));
      column.becomeText();
    }
    if (is(row[9])) {
      table.edit(
          "column %s is generated by the database: here it is an ordinary one".formatted(row[2]));
    }
    table.columns.put(Integer.valueOf(row[1]), column);
  }

  /** The type's name in SQL; the labels themselves are not read. */
  private String enumName(String[] row, int labels) {
    return enumNames.computeIfAbsent(
        row[11],
        oid -> {
          String name = enums.containsKey(row[12]) ? row[13] : row[12];
          enums.put(name, labels);
          return name;
        });
  }

  private void index(String[] row) {
    Table table = tables.get(row[0]);
    if (table == null) {
      return;
    }
    if (is(row[4]) || is(row[5])) {
      table.edit(
          "index %s is left out: it has %s; add it"
              .formatted(row[1], is(row[5]) ? "a condition" : "an expression"));
    } else if (!is(row[8])) {
      table.edit("index %s is left out: it needs an extension".formatted(row[1]));
    } else {
      table.indexes.add(
          new Index(
              new String[] {row[1], row[9], row[10]},
              is(row[3]),
              is(row[2]),
              columns(table, row[6]),
              row[7]));
    }
  }

  private void reference(String[] row) {
    Table table = tables.get(row[0]);
    Table target = tables.get(row[1]);
    if (table != null && target != null) {
      table.references.add(new Reference(columns(table, row[2]), columns(target, row[3])));
    } else if (table != null) {
      table.edit("a foreign key refers to a table that is left out");
    }
  }

  private static List<Column> columns(Table table, String numbers) {
    return Arrays.stream(numbers.split(" ")).map(Integer::valueOf).map(table.columns::get).toList();
  }

  private static boolean is(String flag) {
    return "t".equals(flag);
  }
}
