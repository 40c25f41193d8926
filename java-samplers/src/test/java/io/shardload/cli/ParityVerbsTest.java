package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.generator.RunConfig;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two targets that are one database would overwrite each other's scratch tables.
 *
 * <p>Mutations that turned it red: another default port; names as they stand in the URL.
 */
class ParityVerbsTest {
  @ParameterizedTest
  @CsvSource({
    "postgresql://a:5432/db, postgresql://a:5432/db, true",
    "postgresql://a/db, postgresql://a:5432/db, true",
    "mongodb://a/db, mongodb://a:27017/db, true",
    "'postgresql://a:5432/db', 'postgresql://b:5432,a:5432/db', true",
    "'postgresql://a/db', 'postgresql://b,A/db', true",
    "postgresql://localhost:5432/db, postgresql://127.0.0.1:5432/db, true",
    "postgresql://localhost/db, postgresql://[::1]/db, true",
    "postgresql://[::1]/db, postgresql://127.0.0.1/db, true",
    "postgresql://a:5432/db, postgresql://a:5432/other, false",
    "postgresql://a:5432/db, postgresql://a:5433/db, false",
    "postgresql://a/db, mongodb://a/db, false",
    "mongodb://a:1/db, noop:, false",
    "noop:, noop:, false",
  })
  void aDatabaseIsKnownByAnyOfItsHosts(String one, String other, boolean same) {
    assertThat(ParityVerbs.sameDatabase(config(one), config(other))).isEqualTo(same);
    assertThat(ParityVerbs.sameDatabase(config(other), config(one))).isEqualTo(same);
  }

  private static RunConfig config(String url) {
    String driver = url.substring(0, url.indexOf(':'));
    return new RunConfig(
        "test",
        "",
        Path.of("."),
        new TargetConfig("test", driver, "", url, "", "", new JsonObject()),
        TestDatabases.driver(driver),
        "",
        "",
        "document-store",
        1,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        false,
        false,
        List.of());
  }
}
