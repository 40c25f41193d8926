package io.shardload.verify;

import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A run on documents 0 to 3 of {@link GoldenData} that has begun, in a database of its own. */
abstract class GoldenRun {
  final Database database = TestDatabases.fresh();
  @AutoClose Target target;
  Path bundle;

  @BeforeEach
  final void beginRun(@TempDir Path temporary) throws Exception {
    bundle = temporary.resolve("run-1");
    target = database.open("{}");
    GoldenData.begin(target, bundle);
  }
}
