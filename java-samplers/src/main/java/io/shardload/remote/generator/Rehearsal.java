package io.shardload.remote.generator;

import com.google.gson.JsonObject;
import io.shardload.Sha256;
import io.shardload.config.ConfigException;
import io.shardload.generator.HostFacts;
import io.shardload.generator.RunConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.WireEncoder;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checks whether a run could begin on this host, without opening the target, makes the run's
 * folder, and reports to the controller.
 */
public final class Rehearsal {
  private static final int WRONG_USE = 1;
  private static final int PART_DIED = 2;

  private Rehearsal() {}

  /**
   * Reports to the controller, problems included.
   *
   * @param config with the directory of the run on this host
   * @param jmeter version of the JMeter that this process runs
   * @return what is wrong; empty if nothing is
   * @throws ConfigException the controller cannot be reached
   */
  public static String perform(Member member, JsonObject config, String jmeter) {
    try (Redis redis = member.connect()) {
      Message message = message(member, config, jmeter, redis);
      redis.xadd(member.keys().up(), WireEncoder.encode(message));
      return message instanceof Message.Trouble trouble
          ? trouble.key() + ": " + trouble.message()
          : "";
    } catch (RedisException e) {
      throw new ConfigException("hosts.redis_url", e.getMessage());
    }
  }

  /**
   * Reports why this generator cannot begin.
   *
   * @throws ConfigException the controller cannot be reached
   */
  public static void trouble(Member member, String key, String message, int exit) {
    Message trouble = new Message.Trouble(member.generator(), key, message, exit);
    try (Redis redis = member.connect()) {
      redis.xadd(member.keys().up(), WireEncoder.encode(trouble));
    } catch (RedisException e) {
      throw new ConfigException("hosts.redis_url", e.getMessage());
    }
  }

  private static Message message(Member member, JsonObject config, String jmeter, Redis redis) {
    int generator = member.generator();
    try {
      RunConfig read = RunConfig.read(config);
      requireSecret(member, read);
      checkFolder(read.directory());
      Plan plan = new Plan(new Schedule(read.load(), read.seed()), read.mix(), read.seed());
      RedisClock clock = RemoteMeeting.clock(redis);
      JsonObject facts = facts(member, read.load().generators(), plan.hash(), jmeter, clock);
      facts.addProperty(HelloFacts.REHEARSAL, true);
      return new Message.Hello(generator, facts);
    } catch (ConfigException e) {
      return new Message.Trouble(generator, e.key(), e.getMessage(), WRONG_USE);
    } catch (IOException e) {
      return new Message.Trouble(
          generator, "run.directory", "cannot write on this host: " + e, PART_DIED);
    }
  }

  private static void requireSecret(Member member, RunConfig config) {
    try {
      var unused = config.target().password();
    } catch (ConfigException e) {
      throw new ConfigException(e.key(), e.getMessage() + " on load host " + member.address());
    }
  }

  /**
   * A run is written once: its ordinals may be in use. The folder is made here, so that of several
   * load hosts with one folder of runs only the first gets it; the controller's bundle exists
   * already. It goes with the engine if nothing is written into it.
   */
  private static void checkFolder(Path directory) throws IOException {
    Path runs = directory.toAbsolutePath().getParent();
    Files.createDirectories(runs);
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      throw new ConfigException(
          "run.id",
          directory
              + " exists on this host: the controller or another load host keeps its runs in this"
              + " folder; start the load host with ./shardload generator --runs DIR");
    }
    directory.toFile().deleteOnExit();
  }

  /**
   * The facts in the first message of a generator.
   *
   * <p>The facts that a rehearsal also reports.
   *
   * @param jmeter version of the JMeter that this process runs
   */
  static JsonObject facts(
      Member member, int generators, String scheduleHash, String jmeter, RedisClock clock) {
    JsonObject facts = HostFacts.describe();
    facts.addProperty(HelloFacts.RUN, member.runId());
    facts.addProperty(HelloFacts.HOST, member.address());
    facts.addProperty(HelloFacts.GENERATORS, generators);
    facts.addProperty(HelloFacts.SCHEDULE_HASH, scheduleHash);
    facts.addProperty(HelloFacts.JMETER, jmeter);
    facts.addProperty(HelloFacts.PLUGIN_SHA256, pluginSha256());
    facts.addProperty(HelloFacts.PID, ProcessHandle.current().pid());
    facts.addProperty(HelloFacts.CLOCK_OFFSET_MILLIS, clock.offsetMillis());
    facts.addProperty(HelloFacts.CLOCK_UNCERTAINTY_MILLIS, clock.uncertaintyMillis());
    return facts;
  }

  /** The hash of the jar of this class; empty if the class is in a folder. */
  private static String pluginSha256() {
    try {
      URI source = Rehearsal.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      Path jar = Path.of(source);
      return Files.isRegularFile(jar) ? Sha256.of(Files.readAllBytes(jar)) : "";
    } catch (URISyntaxException | IOException e) {
      return "";
    }
  }
}
