package io.shardload.remote.controller;

import io.shardload.embedded.EmbeddedRedis;
import io.shardload.redis.Redis;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * What each test of a run on simulated hosts starts with: two generators, a real Redis and a
 * virtual clock.
 */
abstract class SimulatedRun {
  static final long PLANNED = 5 * FakeHosts.SECOND;

  @TempDir Path bundle;
  final String runId = UUID.randomUUID().toString();
  EmbeddedRedis server;
  Redis redis;
  FakeHosts hosts;
  HostsRun run;

  @BeforeEach
  void open() {
    server = EmbeddedRedis.start();
    redis = Redis.connect(server.url(), null, null);
    prepare(false);
  }

  final void prepare(boolean continueOnLoss) {
    hosts = new FakeHosts(redis, runId, 2);
    run =
        new HostsRun(
            FakeHosts.setting(runId, continueOnLoss),
            Redis.connect(server.url(), null, null),
            hosts,
            hosts);
    hosts.run = run;
  }

  @AfterEach
  void close() {
    run.close();
    redis.close();
    server.stop();
  }

  final Map<String, String> hash() {
    return redis.hgetAll("shardload:" + runId + ":n:run");
  }
}
