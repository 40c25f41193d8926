package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two targets that are one database would overwrite each other's scratch tables. */
class ParityVerbsTest {
  @ParameterizedTest
  @CsvSource({
    "postgresql://a:5432/db, postgresql://a:5432/db, true",
    "'postgresql://a:5432/db', 'postgresql://b:5432,a:5432/db', true",
    "postgresql://localhost:5432/db, postgresql://127.0.0.1:5432/db?x=1, true",
    "postgresql://a:5432/db, postgresql://a:5432/other, false",
    "postgresql://a:5432/db, postgresql://a:5433/db, false",
    "mongodb://a:1/db, '', false",
    "'', '', false",
  })
  void aDatabaseIsKnownByAnyOfItsHosts(String one, String other, boolean same) {
    assertThat(ParityVerbs.sameDatabase(one, other)).isEqualTo(same);
    assertThat(ParityVerbs.sameDatabase(other, one)).isEqualTo(same);
  }
}
