package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What settings mean, as the manual of PostgreSQL says. What a server answers is in EnvironmentTest
 * and PostgresqlReplicaTest.
 */
class AcknowledgementTest {
  static String answer(String fsync, String commit, String names, int replicas, int synchronous) {
    return "{'fsync':'%s','commit':'%s','names':'%s','replicas':%d,'shown':%d,'synchronous':%d}"
        .formatted(fsync, commit, names, replicas, replicas, synchronous)
        .replace("\"", "\\\"")
        .replace('\'', '"');
  }

  /** Turned red by each line of {@link Acknowledgement#of}, left out. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "off | on           | s1 | memory: fsync=off, synchronous_commit=on",
        "on  | off          | s1 | memory: synchronous_commit=off",
        "on  | local        | s1 | one disk: synchronous_commit=local, which waits for no standby",
        "on  | on           | '' | one disk: synchronous_commit=on, no synchronous standby",
        "on  | remote_write | s1 | one disk: synchronous_commit=remote_write,"
            + " synchronous_standby_names='s1': standbys have it in memory",
        "on  | on           | s1 | majority of disks: synchronous_commit=on,"
            + " synchronous_standby_names='s1': 2 of 2 disks",
      })
  void theSettingsDecide(String fsync, String commit, String names, String expected) {
    assertThat(Acknowledgement.of(answer(fsync, commit, names, 1, 1))).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*                      | 1 | majority of disks | 2 of 2",
        "*                      | 2 | majority of disks | 2 of 3",
        "*                      | 3 | one disk          | 2 of 4",
        "'a, b'                 | 1 | majority of disks | 2 of 3",
        "'a, b, c'              | 1 | one disk          | 2 of 4",
        "ANY 2 (a, b, c)        | 3 | majority of disks | 3 of 4",
        "'first 1 (a,b,c)'      | 3 | one disk          | 2 of 4",
        "2 (a, b, c, d)         | 2 | majority of disks | 3 of 5",
        "'ANY 1 (\"a, b\", \"(c)\")' | 2 | majority of disks | 2 of 3",
        "'ANY 1 (*)'            | 3 | one disk          | 2 of 4",
      })
  void aMajorityIsOfThePrimaryAndItsStandbys(
      String names, int replicas, String level, String disks) {
    assertThat(Acknowledgement.of(answer("on", "on", names, replicas, 1)))
        .asString()
        .startsWith(level + ": ")
        .endsWith("': " + disks + " disks");
  }

  @ParameterizedTest
  @CsvSource({
    "0, one disk, no standby is synchronous",
    "1, one disk, no standby is synchronous",
  })
  void aNameAloneIsNoStandby(int replicas, String level, String end) {
    assertThat(Acknowledgement.of(answer("on", "on", "s1", replicas, 0)))
        .asString()
        .startsWith(level + ": ")
        .endsWith(end);
  }
}
