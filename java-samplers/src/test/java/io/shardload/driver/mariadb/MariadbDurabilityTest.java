package io.shardload.driver.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an acknowledged write of a real MariaDB survives, by its settings. */
class MariadbDurabilityTest {
  private final MariaServer.Database database = MariaServer.fresh();

  @AfterEach
  void restore() {
    set(1);
  }

  private void set(int flush) {
    database.execute("SET GLOBAL innodb_flush_log_at_trx_commit = " + flush);
  }

  /** Turned red by another level of each value, and by a value that is not read. */
  @ParameterizedTest
  @CsvSource({
    "0, memory: , ': flushed once a second'",
    "1, one disk: , innodb_doublewrite=ON",
    "2, memory: , ': written to the operating system, lost with the machine'",
    "3, one disk: , innodb_doublewrite=ON",
  })
  void theServersSettingDecides(int flush, String level, String end) throws Exception {
    set(flush);
    try (Target target = database.open("{}")) {
      assertThat(target.durability())
          .asString()
          .startsWith(
              level.strip() + " innodb_flush_log_at_trx_commit=" + flush + ", log_bin=OFF, ")
          .endsWith(end);
    }
  }

  /** The embedded server has no binary log: the two variables are replaced by their values. */
  @ParameterizedTest
  @CsvSource({"1, 0, memory", "1, 1, one disk", "1, 1000, memory", "3, 0, one disk"})
  void aBinaryLogThatIsNotFlushedLosesACommit(int flush, int sync, String level) throws Exception {
    set(flush);
    String asked =
        MariadbTarget.DURABILITY.replace("@@log_bin", "1").replace("@@sync_binlog", "" + sync);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(asked)) {
      row.next();
      assertThat(row.getString(1)).isEqualTo(level);
    }
  }
}
