package io.shardload.generator;

import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The machine and the JVM of this process. */
public final class HostFacts {
  private HostFacts() {}

  /** Processor, memory, operating system, Java. */
  public static JsonObject describe() {
    var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    JsonObject json = new JsonObject();
    json.addProperty("cpu", cpu());
    json.addProperty("cpus", Runtime.getRuntime().availableProcessors());
    json.addProperty("memory_bytes", system.getTotalMemorySize());
    json.addProperty("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    json.addProperty(
        "java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    return json;
  }

  /** The processor's model, which Linux reports, or else its architecture. */
  private static String cpu() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException | UncheckedIOException e) {
      return System.getProperty("os.arch");
    }
  }
}
