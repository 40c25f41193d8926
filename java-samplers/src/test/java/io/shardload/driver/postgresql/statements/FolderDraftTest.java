package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.FolderDraft;
import io.shardload.workload.statements.port.FolderDraft.Draft;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What is described of existing tables, on a real server. */
class FolderDraftTest {
  private static final Session BRIEF = new Session("test", 1, Duration.ofMillis(500));

  private static final String SCHEMA =
      """
      -- Made by "shardload workload init --from-database" from the catalog and figures of the tables. No text of a row is
      -- here: enums have labels of their own, and defaults are left out, because each insert names all columns.
      -- A line "edit" names what this folder cannot express.

      CREATE TYPE mood AS ENUM ('label1', 'label2');

      -- edit: table shop: check constraints are left out (1): add them and fit the values
      -- edit: table shop: column edition is added: it counts updates, so that verify finds a lost one
      CREATE TABLE shop (
        id integer NOT NULL,
        name character varying(40) NOT NULL,
        mood mood,
        opened timestamp with time zone,
        area numeric(6,2),
        edition integer NOT NULL,
        PRIMARY KEY (id)
      );

      -- edit: table visit: index visit_lower is left out: it has an expression; add it
      CREATE TABLE visit (
        shop integer NOT NULL,
        no smallint NOT NULL,
        note text,
        PRIMARY KEY (shop, no),
        FOREIGN KEY (shop) REFERENCES shop (id)
      ) WITH (fillfactor = 70);
      CREATE INDEX visit_note ON visit USING btree (note DESC) INCLUDE (no);
      """;

  private static final Map<String, String> TRANSACTIONS =
      Map.ofEntries(
          transaction(
              "read-shop",
              "SELECT id, name, mood, opened, area, edition FROM shop WHERE id = " + ":shop.id\n"),
          transaction(
              "update-shop",
              "UPDATE shop SET name = :shop.name, edition = :shop.edition WHERE id = "
                  + ":shop.id AND edition = :shop.before\n"),
          transaction(
              "insert-shop",
              "INSERT INTO shop (id, name, mood, opened, area, edition) VALUES "
                  + "(:shop.id, :shop.name, :shop.mood, :shop.opened, :shop.area, "
                  + ":shop.edition)\n"),
          transaction(
              "read-visit",
              "SELECT shop, no, note FROM visit WHERE shop = :visit_shop_of_row "
                  + "ORDER BY no LIMIT 100\n"),
          transaction(
              "update-visit",
              "UPDATE visit SET note = :visit_note WHERE (shop, no) = (SELECT shop, "
                  + "no FROM visit WHERE shop = :visit_shop_of_row ORDER BY shop, no LIMIT "
                  + "1)\n"),
          transaction(
              "insert-visit",
              "INSERT INTO visit (shop, no, note) VALUES (:visit_shop, :visit_no, "
                  + ":visit_note)\n"));

  private static final String WORKLOAD =
      """
      {"tables": {
        "shop": {"rows": 4, "entity": {"key": "id", "changes": ["name"]}, "columns": {
          "id": {"type": "sequential"},
          "name": {"type": "text", "length": [5, 8]},
          "mood": {"type": "word", "words": ["label1", "label2"]},
          "opened": {"type": "timestamp", "from": "2025-01-01T00:00:00Z", "to": "2025-01-01T00:00:00Z"},
          "area": {"type": "decimal", "min": 1.25, "max": 5.0, "scale": 2},
          "edition": {"type": "edition"}}},
        "visit": {"rows": 8, "columns": {
          "shop": {"type": "reference", "table": "shop", "column": "id"},
          "no": {"type": "sequential"},
          "note": {"type": "integer", "min": 1, "max": 1, "format": "%05d", "nulls": 50.0}}}},
      "parameters": {
        "visit_shop_of_row": {"type": "reference", "table": "visit", "column": "shop"},
        "visit_note": {"type": "integer", "min": 1, "max": 1, "format": "%05d", "nulls": 50.0},
        "visit_shop": {"type": "reference", "table": "shop", "column": "id"},
        "visit_no": {"type": "sequential", "table": "visit", "column": "no"}},
      "transactions": {
        "read-shop": {"entity": "read", "rows": "one"},
        "update-shop": {"entity": "update"},
        "insert-shop": {"entity": "insert"},
        "read-visit": {"rows": "0..100", "equal": {"shop": "visit_shop_of_row"}},
        "update-visit": {"rows": "zero-or-one"},
        "insert-visit": {"rows": "one"}},
      "mix": {"read-shop": 40.00, "update-shop": 7.5, "insert-shop": 5.0, "read-visit": 35.0, "update-visit": 7.5, "insert-visit": 5.0}}
      """;

  private final Database database = TestDatabases.fresh();
  @AutoClose private Target target;

  private Draft draft(String... sql) throws Exception {
    for (String one : sql) {
      database.execute(one);
    }
    target = database.open("{}");
    return target.port(FolderDraft.class).draft(Progress.UNHEARD);
  }

  private static Map.Entry<String, String> transaction(String name, String sql) {
    return Map.entry("transactions/" + name + "/postgresql.sql", sql);
  }

  private static JsonObject columns(Draft draft, String table) {
    JsonObject tables = draft.workload().getAsJsonObject("tables");
    return tables.getAsJsonObject(table).getAsJsonObject("columns");
  }

  @Test
  void aSmallSchemaIsDescribedWhole() throws Exception {
    Draft draft =
        draft(
            """
            CREATE TYPE mood AS ENUM ('glad', 'sad');
            CREATE TABLE shop (id int PRIMARY KEY, name varchar(40) NOT NULL DEFAULT 'Corner',
              mood mood, opened timestamptz, area numeric(6, 2) CHECK (area > 0));
            CREATE TABLE visit (shop int REFERENCES shop, no smallint, note text,
              PRIMARY KEY (shop, no)) WITH (fillfactor = 70);
            CREATE INDEX visit_note ON visit (note DESC) INCLUDE (no);
            CREATE INDEX visit_lower ON visit (lower(note));
            """,
            """
            INSERT INTO shop SELECT n, repeat('x', n + 4), 'glad', '2025-01-01Z', n * 1.25
            FROM generate_series(1, 4) AS n;
            INSERT INTO visit SELECT 1 + n % 4, n, CASE WHEN n % 2 = 0 THEN 'often' END
            FROM generate_series(1, 8) AS n
            """);
    assertThat(draft.files().remove("schema/postgresql.sql")).isEqualTo(SCHEMA);
    assertThat(draft.files()).isEqualTo(TRANSACTIONS);
    assertThat(draft.workload()).isEqualTo(JsonParser.parseString(WORKLOAD));
  }

  /** Mutation: print the condition of the index that is left out, or the default of a column. */
  @Test
  void noTextOfARowIsInTheFolder() throws Exception {
    Draft draft =
        draft(
            """
            CREATE TYPE state AS ENUM ('Drafted', 'On Hold');
            CREATE DOMAIN short AS varchar(20) DEFAULT 'Undefined' CHECK (VALUE <> 'Forbidden');
            CREATE TABLE city (name text PRIMARY KEY, code char(4) UNIQUE, motto short);
            CREATE TABLE person (id uuid PRIMARY KEY, city text REFERENCES city, state state[],
              nick varchar(30) DEFAULT 'Anonymous', likes text[], facts jsonb DEFAULT '{"seen": "Oslo"}',
              body json, photo bytea, login name, shout text GENERATED ALWAYS AS (nick || 'Cries') STORED,
              CHECK (nick <> 'Nemesis'));
            CREATE INDEX ON person (nick) WHERE nick <> 'Anonymous';
            CREATE INDEX ON person ((nick || 'Suffix'));
            COMMENT ON TABLE person IS 'Sandra and others';
            """,
            """
            INSERT INTO city VALUES ('Reykjavik', 'REYK', 'Undefined'), ('Zagreb', 'ZAGR', 'Always'),
              ('Sandra and others', 'CRIE', 'Suffix');
            INSERT INTO person SELECT gen_random_uuid(), 'Zagreb', ARRAY['Drafted', 'On Hold']::state[],
              (ARRAY['Anonymous', 'Bartholomew'])[1 + n % 2], ARRAY['chess', 'skiing'],
              '{"Firstname": "Quentin", "deep": ["Xavier"]}', '{"b": "Yolanda"}', 'bytes', 'Charlie'
            FROM generate_series(1, 50) AS n;
            ANALYZE
            """);
    List<String> texts = new ArrayList<>();
    for (String table : List.of("city", "person")) {
      texts.addAll(
          database.ask(
              """
              SELECT DISTINCT trim(value #>> '{}') FROM %s AS t,
                jsonb_path_query(to_jsonb(t), '$.** ? (@.type() == "string")') AS value
              """
                  .formatted(table)));
    }
    texts.addAll(List.of("Forbidden", "Nemesis", "Cries", "seen", "Oslo", "Firstname"));
    assertThat(texts).contains("Bartholomew", "Xavier", "On Hold", "skiing", "ZAGR", "Charlie");
    String folder = draft.workload() + "\n" + draft.files() + "\n" + draft.edits();
    assertThat(texts).noneMatch(folder::contains);
  }

  @Test
  void valuesAreLikeThoseOfTheTables() throws Exception {
    Draft draft =
        draft(
            """
            CREATE TABLE t (a bigint, b float8, c date, d boolean, e jsonb, f int[], g text, h interval);
            INSERT INTO t SELECT n - 9, CASE n WHEN 1 THEN 'NaN' ELSE n / 4.0 END,
              CASE n WHEN 1 THEN 'infinity' ELSE date '2024-02-28' + n END, n > 25, '{"a": "bcdefgh"}',
              array_fill(10, ARRAY[n % 3]), CASE WHEN n < 96 THEN repeat('a', n % 5) ELSE repeat('b', 900) END
            FROM generate_series(1, 100) AS n
            """);
    assertThat(columns(draft, "t"))
        .isEqualTo(
            JsonParser.parseString(
                """
                    {"a": {"type": "integer", "min": -8, "max": 91},
                    "b": {"type": "decimal", "min": 0.500, "max": 25.000, "scale": 3},
                    "c": {"type": "timestamp", "from": "2024-03-01T00:00:00Z", "to": "2024-06-07T00:00:00Z"},
                    "d": {"type": "boolean", "true": 75},
                    "e": {"type": "json", "fields": {"data": {"type": "text", "length": 4}}},
                    "f": {"type": "list", "length": [0, 2], "of": {"type": "integer", "min": 0, "max": 99}},
                    "g": {"type": "integer", "min": 1, "max": 6, "format": "%02d"},
                    "h": {"type": "text", "length": [5, 15], "nulls": 100.00}}
                    """));
  }

  @Test
  void keysThatCannotBeGeneratedBecomeIndexesAndCirclesLoseAConstraint() throws Exception {
    Draft draft =
        draft(
            """
            CREATE SCHEMA other;
            CREATE TABLE a (id int PRIMARY KEY, b int, day date UNIQUE);
            CREATE TABLE b (id int PRIMARY KEY, a int NOT NULL REFERENCES a);
            ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b;
            CREATE TABLE other.a (b int REFERENCES b, day date, PRIMARY KEY (b, day));
            CREATE TABLE part (b int PRIMARY KEY REFERENCES b);
            CREATE VIEW v AS SELECT 1;
            INSERT INTO a (id) VALUES (1);
            INSERT INTO b VALUES (1, 1);
            INSERT INTO part VALUES (1);
            CREATE TABLE bare (id int PRIMARY KEY);
            INSERT INTO other.a SELECT 1, date '2025-01-01' + n FROM generate_series(1, 3) AS n;
            """);
    assertThat(draft.edits())
        .contains(
            "views and foreign tables are left out: public.v",
            "the tables of the schemas other, public are made in one schema",
            "table bare: is empty: 100 rows are made",
            "table part: there is no insert: a new row needs a new row of the table it refers to")
        .anyMatch(
            line -> line.startsWith("table public_a: unique index a_day_key (day) is an ordinary"))
        .anyMatch(line -> line.startsWith("table other_a: the primary key (b, day) is an ordinary"))
        .anyMatch(line -> line.matches("table public_a: the foreign key .* to b is left out: .*"));
  }

  @Test
  void aTableThatIsLockedIsDescribedByItsTypes() throws Exception {
    database.execute(
        "CREATE TABLE t (id int PRIMARY KEY, x smallint); INSERT INTO t VALUES (1, 7)");
    target = database.open("{}", BRIEF);
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
      Draft draft = target.port(FolderDraft.class).draft(Progress.UNHEARD);
      assertThat(draft.edits()).anyMatch(line -> line.startsWith("table t: not sampled, because"));
      assertThat(columns(draft, "t").get("x"))
          .hasToString("{\"type\":\"integer\",\"min\":0,\"max\":1000}");
    }
  }

  @Test
  void withoutTablesOrRightsThereIsNoFolder() throws Exception {
    assertThat(refusalOf(this::draft))
        .hasMessage(
            "the database has no table that user %s can see".formatted(database.server().user()));
    target.close();
    database.execute(
        "CREATE ROLE blind; CREATE TABLE t (id int); CREATE TABLE u (id int);"
            + " ALTER ROLE %s IN DATABASE %s SET role = blind"
                .formatted(database.server().user(), database.name()));
    assertThat(refusalOf(this::draft))
        .hasMessage("may read none of the 2 tables, such as public.t; GRANT SELECT permits it");
    target.close();
    database.execute("SET ROLE NONE; GRANT SELECT ON u TO blind");
    assertThat(draft().edits()).contains("left out, because the user may not read them: public.t");
  }
}
