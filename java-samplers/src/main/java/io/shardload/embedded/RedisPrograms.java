package io.shardload.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * The programs of which the embedded Redis can be a process. The one of the dependency is old and
 * gets no fixes, so a newer one of the machine comes first.
 */
final class RedisPrograms {
  private static final Pattern VERSION = Pattern.compile("v=(\\d+\\.\\d+\\.\\d+)");

  private RedisPrograms() {}

  /** The programs to try, in this order. The one of the dependency is unpacked into the folder. */
  static List<String> newestFirst(Path folder) throws IOException {
    String own = own(folder);
    return Stream.concat(
            ofMachine().filter(program -> isNewer(version(program), version(own))).stream(),
            Stream.of(own))
        .toList();
  }

  /** The program of the dependency, unpacked. */
  static String own(Path folder) throws IOException {
    return ExecutableProvider.newJarResourceProvider(folder.toFile()).get().getAbsolutePath();
  }

  /** The first {@code redis-server} on the path of this process. */
  static Optional<String> ofMachine() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
        .map(program -> program.toAbsolutePath().toString())
        .findFirst();
  }

  /** The version that a program reports; empty if it reports none. */
  static String version(String program) {
    Matcher matcher = VERSION.matcher(Commands.run(List.of(program, "--version"), "").output());
    return matcher.find() ? matcher.group(1) : "";
  }

  static boolean isNewer(String version, String than) {
    return !version.isEmpty() && Arrays.compare(parts(version), parts(than)) > 0;
  }

  private static int[] parts(String version) {
    return Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
  }
}
