package io.shardload.remote.generator;

import com.google.gson.JsonObject;
import io.shardload.generator.meeting.HostFacts;
import io.shardload.remote.wire.HelloFacts;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The facts in the first message of a generator. */
final class Facts {
  private Facts() {}

  /**
   * The facts that a rehearsal also reports.
   *
   * @param jmeter version of the JMeter that this process runs
   */
  static JsonObject of(
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
      URI source = Facts.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      Path jar = Path.of(source);
      if (!Files.isRegularFile(jar)) {
        return "";
      }
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
      return HexFormat.of().formatHex(hash);
    } catch (URISyntaxException | IOException e) {
      return "";
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
