package io.shardload.calibrate;

import io.shardload.config.Secrets;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.TargetConfig;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * PostgreSQL's own client on the same tables: {@code pgbench -S -M prepared}, whose look-up is the
 * transaction select-only of the workload tpcb.
 */
record Pgbench(Path program, TargetConfig target, Path log) {
  private static final String SCHEME = "postgresql://";
  private static final int PORT = 5432;
  private static final String TRANSACTION = "select-only";
  private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+) \\(without initial");
  private static final Pattern CALLS = Pattern.compile("actually processed: (\\d+)");

  /**
   * Empty unless the transaction is pgbench's own, and the program is on the path. Only on this
   * machine: elsewhere its connection would have other encryption than the target asks for.
   */
  static Optional<Pgbench> of(TestBed testBed, String transaction) {
    TargetConfig target = testBed.base().target();
    boolean isItsOwn =
        testBed.base().workload().equals("tpcb")
            && transaction.equals(TRANSACTION)
            && target.url().startsWith(SCHEME)
            && ServerUrl.parse(target.url(), SCHEME, PORT, SCHEME).hosts().local();
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, "pgbench"))
        .filter(program -> isItsOwn && Files.isExecutable(program))
        .findFirst()
        .map(program -> new Pgbench(program, target, testBed.directory().resolve("pgbench.log")));
  }

  /** Runs one round. */
  Measured round(int workers, int seconds) throws IOException, InterruptedException {
    String number = Integer.toString(workers);
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                program.toString(),
                "-S",
                "-M",
                "prepared",
                "-n",
                "-c",
                number,
                "-j",
                number,
                "-T",
                Integer.toString(seconds + 2),
                "-U",
                target.user(),
                target.url()));
    if (!target.passwordEnv().isEmpty()) {
      builder
          .environment()
          .put("PGPASSWORD", Secrets.require("target.password-env", target.passwordEnv()));
    }
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    Process process = builder.start();
    try {
      Thread.sleep(1000);
      Duration before = process.info().totalCpuDuration().orElse(Duration.ZERO);
      long begin = System.nanoTime();
      Thread.sleep(seconds * 1000L);
      Duration after = process.info().totalCpuDuration().orElse(Duration.ZERO);
      long nanos = System.nanoTime() - begin;
      process.waitFor();
      String said = Files.readString(log, StandardCharsets.UTF_8);
      double perSecond = Double.parseDouble(found(RATE, said));
      return new Measured(
          Math.round(perSecond * nanos / 1e9),
          nanos,
          after.minus(before).toNanos(),
          Long.parseLong(found(CALLS, said)),
          ThreadTimes.NONE);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String found(Pattern pattern, String text) throws IOException {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IOException("pgbench: " + text.strip());
    }
    return matcher.group(1);
  }
}
