package io.shardload.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The user a PostgreSQL server runs as. PostgreSQL refuses to run as root, so root starts it under
 * another identity: in a user namespace, where root still owns the files, or, if namespaces are
 * forbidden, as uid 65534.
 */
final class ServerUser {
  private static final String NOBODY = "65534";

  private final List<String> prefix;
  private final boolean ownsFiles;

  private ServerUser(List<String> prefix, boolean ownsFiles) {
    this.prefix = prefix;
    this.ownsFiles = ownsFiles;
  }

  /** Finds an identity under which a program can run and read the given directory. */
  static ServerUser find(Path directory) {
    if (!"root".equals(System.getProperty("user.name"))) {
      return new ServerUser(List.of(), false);
    }
    for (List<String> prefix : namespacePrefixes()) {
      if (works(prefix, directory)) {
        return new ServerUser(prefix, false);
      }
    }
    List<String> setpriv =
        List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
    if (works(setpriv, directory)) {
      return new ServerUser(setpriv, true);
    }
    throw new EmbeddedServerException(
        "PostgreSQL does not run as root, and neither unshare -U nor setpriv"
            + " provides another user that can read "
            + directory
            + ": start shardload as an ordinary user");
  }

  /** Returns the command that runs as this user. */
  List<String> command(String... words) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return command;
  }

  /** Makes this user the owner of a directory and everything below it, if the owner differs. */
  void own(Path path) {
    if (ownsFiles) {
      Commands.require("chown", List.of("chown", "-R", NOBODY + ":" + NOBODY, path.toString()), "");
    }
  }

  // Without a mapping the identity is uid 65534, which has no name in some images; then a mapped
  // uid with a name.
  private static List<List<String>> namespacePrefixes() {
    List<List<String>> prefixes = new ArrayList<>();
    prefixes.add(List.of("unshare", "-U"));
    try (var lines = Files.lines(Path.of("/etc/passwd"))) {
      lines
          .map(line -> line.split(":", -1))
          .filter(fields -> fields.length > 2 && !fields[2].equals("0"))
          .findFirst()
          .ifPresent(fields -> prefixes.add(List.of("unshare", "--map-user=" + fields[2])));
    } catch (IOException e) {
      // Without a list of users there is nothing to map to.
    }
    return prefixes;
  }

  // initdb needs a name for its user: "id -un" fails as initdb would.
  private static boolean works(List<String> prefix, Path directory) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            "sh",
            "-c",
            "id -un >/dev/null && [ \"$(id -u)\" != 0 ] && [ -x \"$0\" ]",
            directory.toString()));
    return Commands.run(command, "").succeeded();
  }
}
