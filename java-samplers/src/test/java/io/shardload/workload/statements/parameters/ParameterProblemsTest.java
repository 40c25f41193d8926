package io.shardload.workload.statements.parameters;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.workload.Model;
import io.shardload.workload.statements.folder.Switches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each thing that can be wrong is one line with its key, and all are reported at once. */
class ParameterProblemsTest {
  private static final String TABLES =
      """
      {tables: {
        customers: {rows: 3, columns: {id: {type: sequential}, seen: {type: timestamp, from: -1d}}},
        history: {rows: 0, columns: {id: {type: sequential}}}}}
      """;

  @TempDir Path folder;

  @BeforeEach
  void files() throws Exception {
    Files.writeString(folder.resolve("cities.csv"), "city,people\nOslo,700000\nBergen,290000\n");
    Files.writeString(folder.resolve("bad.csv"), "city,people\nOslo,many\nBergen\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | .type: is missing",
        "uuid | : must be a section of keys and values",
        "{type: intger, max: 3} | .type: unknown type \"intger\"; did you mean \"integer\"?",
        "{type: integer, min: 5, max: 3} | .min: 5 is above max, 3",
        "{type: integer, min: -9223372036854775808, max: 9} | .max: is too far from min: there"
            + " would be more than 2^63 - 1 values",
        "{type: integer, max: 9, exponent: 1} | .exponent: unknown option \"exponent\"; known are"
            + " type, max, min, distribution, bits, format, nulls",
        "{type: integer, max: 9, distribution: zipf} | .distribution: unknown value \"zipf\"; known"
            + " are uniform, zipfian, normal",
        "{type: integer, max: 9, distribution: zipfian, exponent: 0} | .exponent: 0.0 is outside"
            + " 0.01 to 10.0",
        "{type: integer, max: 9, distribution: normal, mean: 10} | .mean: 10.0 is"
            + " not between min and max",
        "{type: integer, max: 9, distribution: normal, deviation: 0} | .deviation: 0.0 is not above"
            + " 0 and at most max - min",
        "{type: integer, max: 0, distribution: normal} | .distribution: normal"
            + " requires max to be above min",
        "{type: decimal, max: 1.005} | .max: 1.005 has more than 2 decimal places,"
            + " or is too large for this number of decimal places",
        "{type: decimal, max: abc} | .max: is not a number: 'abc'",
        "{type: decimal, min: 1.50, max: 1} | .min: 1.50 is above max, 1.00",
        "{type: text} | .length: is missing",
        "{type: text, length: 2KiB} | .length: is neither a number of characters up"
            + " to 8388608 nor [least, most]",
        "{type: text, length: [5, 4]} | .length: the least, 5, is above the most, 4",
        "{type: text, length: [5]} | .length: is neither a number of characters up"
            + " to 8388608 nor [least, most]",
        "{type: text, length: 5, compressibility: 9} | .compressibility: 9.0 is outside 1.3 to 4.0",
        "{type: word} | .words: is missing: list at least one word, such as [Oslo, Bergen]",
        "{type: word, words: [a], length: 3} | .length: unknown option \"length\"; known are type,"
            + " words, weights, distribution, exponent, nulls",
        "{type: boolean, true: 101} | .true: 101.0 is outside 0.0 to 100.0",
        "{type: timestamp, from: -7x} | .from: '-7x' is neither an instant, such as"
            + " 2026-01-31T12:00:00Z, nor a time relative to now, such as -7d",
        "{type: timestamp, from: 1d} | .from: '1d' is after '0s', the value of to",
        "{type: timestamp, from: 2026-01-01} | .to: from and to must both be"
            + " instants, or both be relative to now",
        "{type: json} | .fields: is missing: list at least one entry",
        "{type: json, fields: {a: {type: query}}} | .fields.a.type: query is"
            + " allowed only for parameters",
        "{type: sequential, from: 1, table: customers, column: id} | .from: cannot"
            + " be set together with table: the numbers continue after the rows of the"
            + " table",
        "{type: sequential, table: customers} | .column: is missing",
        "{type: reference, table: customer, column: id} | .table: unknown table \"customer\"; did"
            + " you mean \"customers\"?",
        "{type: reference, table: customers, column: idd} | .column: unknown column \"idd\"; did"
            + " you mean \"id\"?",
        "{type: reference, table: history, column: id} | .table: \"history\" has no rows to refer"
            + " to",
        "{type: reference, table: customers, column: seen} | .column: \"seen\" is"
            + " relative to the time of the load, which is not known during a run",
        "{type: reference, table: customers, column: id, distribution: normal} | .distribution:"
            + " unknown value \"normal\"; known are uniform, zipfian, latest",
        "{type: csv, file: citys.csv, column: city} | .file: unknown CSV file \"citys.csv\"; did"
            + " you mean \"cities.csv\"?",
        "{type: csv, file: \"../cities.csv\", column: city} | .file: unknown CSV file"
            + " \"../cities.csv\"; did you mean \"cities.csv\"?",
        "{type: csv, file: cities.csv, column: town} | .column: unknown column \"town\"; known are"
            + " city, people",
        "{type: csv, file: cities.csv, column: city, as: int} | .as: unknown value \"int\"; known"
            + " are integer, decimal, text, uuid, timestamp, boolean",
        "{type: query, sample: 0} | .sample: 0 is outside 1 to 1000000",
      })
  void aWrongParameter(String spec, String problems) {
    List<String> expected =
        List.of(problems.split(" \\+ ")).stream()
            .map(line -> "workload.parameters.p" + line)
            .toList();
    assertThat(Reading.problems("{p: " + spec + "}", TABLES, folder))
        .containsExactlyElementsOf(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{tables: {t: {columns: {a: {type: uuid}}}}} | .tables.t.rows: is missing",
        "{tables: {t: {rows: 5}}} | .tables.t.columns: is missing: shardload cannot"
            + " generate rows without columns",
        "{tables: {t: {rows: -1, columns: {a: {type: uuid}}}}} | .tables.t.rows: -1 is outside 0 to"
            + " 2147483648",
        "{tables: {t: {rows: 1, columns: {a: {type: query}}}}} |"
            + " .tables.t.columns.a.type: query is allowed only for parameters",
        "{tables: {t: {rows: 1, columns: {a: {type: sequential, table: t, column:"
            + " b}, b: {type: uuid}}}}} | .tables.t.columns.a.table: is allowed only for"
            + " parameters: a column counts its own rows",
        "{tables: {t: {rows: 1, columns: {a: {type: reference, table: t, column: a}}}}} |"
            + " .tables.t.columns.a: refers to itself: t.a -> t.a",
        "{tables: {t: {rows: 3, columns: {a: {type: csv, file: cities.csv, column:"
            + " city, distribution: sequential}}}}} | .tables.t.columns.a.file: the CSV"
            + " is too short: it has 2 values, but t has 3 rows",
        "{tables: {t: {rows: 1, columns: {a: {type: json, fields: {x: {type: csv, file: cities.csv,"
            + " column: city, distribution: sequential}}}}}}} |"
            + " .tables.t.columns.a.fields.x.distribution: unknown value \"sequential\"; known are"
            + " uniform, zipfian",
        "{existing: true, tables: {}} | .tables: cannot be set together with"
            + " existing: shardload does not generate existing data",
        "{documents: 5} | .documents: scales the tables, but no table has rows",
        "{documents: 1, tables: {t: {rows: 1, columns: {a: {type: uuid}}}, u:"
            + " {rows: 1, columns: {a: {type: uuid}}}}} | .documents: 1 is too small:"
            + " each of the 2 tables needs at least one row",
      })
  void wrongData(String data, String problem) {
    assertThat(Reading.problems("{}", data, folder)).containsExactly("workload.data" + problem);
  }

  /** Mutation: stop at the first. */
  @Test
  void allAreToldAtOnce() {
    String circle =
        "{tables: {a: {rows: 1, columns: {x: {type: reference, table: b, column: y}}},"
            + " b: {rows: 1, columns: {y: {type: reference, table: a, column: x},"
            + " z: {type: reference, table: c, column: x}, n: {type: integer}}}}}";
    assertThat(
            Reading.problems(
                "{Big: {type: uuid}, c: {type: csv, file: bad.csv, column: people, as: integer},"
                    + " d: {type: csv, file: bad.csv, column: city},"
                    + " r: {type: reference, table: a, column: x}}",
                circle,
                folder))
        .containsExactly(
            "workload.data.tables.a.columns.x: refers to itself: a.x -> b.y -> a.x",
            "workload.data.tables.b.columns.z.table: unknown table \"c\"; did you mean \"a\"?",
            "workload.data.tables.b.columns.n.max: is missing",
            "workload.parameters.Big: the name is not of the form [a-z][a-z0-9_]*, such"
                + " as customer_id",
            ": " + folder.getFileName() + "/bad.csv:3: has 1 field; the header has 2");
  }

  /** As RunConfig reads it: what the section itself collects comes together with the rest. */
  @Test
  void aSectionThatIsReadWholeTellsTheSame() {
    JsonObject json = BundleFixture.parse("{documents: many, existing: maybe, x: 1}");
    Options data = new Options("workload.data", json);
    Options none = Options.none("workload.parameters");
    assertThat(
            refusalOf(() -> data.whole(it -> Parameters.read(none, it, folder, Switches.NONE, 1)))
                .problems())
        .extracting(ConfigException::key)
        .containsExactlyInAnyOrder(
            "workload.data.documents", "workload.data.existing", "workload.data.x");
  }

  @Test
  void tablesAreUnknownWithExistingData() {
    assertThat(
            Reading.problems(
                "{p: {type: reference, table: t, column: c}}", "{existing: true}", folder))
        .containsExactly(
            "workload.parameters.p.table: \"t\" is not known, because the data is"
                + " existing; use type query to select its values");
  }

  /** Mutation: begin anew behind the last. */
  @Test
  void aParameterThatHasRunOutOfValuesCannotBePrepared() {
    Parameter parameter =
        Reading.of(
                "{p: {type: csv, file: cities.csv, column: people, as: integer,"
                    + " distribution: sequential}}",
                "{}",
                folder)
            .byName()
            .get("p");
    assertThat(parameter.takesFresh()).isTrue();
    assertThat(Reading.first(parameter, 2)).containsExactly(700_000L, 290_000L);
    assertThatThrownBy(
            () ->
                parameter.draw(
                    new Draws(), new Occasion(2, Occasion.Recent.NONE, 0, Reading.ALONE)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith(
            "/cities.csv, column people: the CSV is too short: it has 2 values, but"
                + " value number 3 is needed");
  }

  /** The size is read with as many documents as there can be before the number is known. */
  @Test
  void aFileIsLongEnoughAsLongAsTheNumberOfRowsIsNotKnown() {
    String data =
        "{documents: %d, tables: {t: {rows: 2, columns: {a: {type: csv, file: cities.csv, column:"
            + " city, distribution: sequential}}}, u: {rows: 2, columns: {a: {type: uuid}}}}}";
    List<Table> tables = Reading.of("{}", data.formatted(Model.MOST_DOCUMENTS), folder).tables();
    assertThat(tables.get(0).rows()).isEqualTo(2);
    assertThat(tables.get(0).meanBytes()).isEqualTo(5.0);
    assertThat(tables.get(1).rows()).isEqualTo(Model.MOST_DOCUMENTS / 2);
    assertThat(Reading.problems("{}", data.formatted(40), folder)).hasSize(1);
  }
}
