package io.shardload.driver.postgresql.facts;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.Durability;
import io.shardload.bundle.Durability.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a COMMIT waits for, by the settings of a session and the standbys of its server. */
final class Acknowledgement {
  /** A query for one text, which {@link #of} reads. */
  static final String QUESTION =
      """
      SELECT json_build_object('fsync', current_setting('fsync'),
        'commit', current_setting('synchronous_commit'),
        'names', current_setting('synchronous_standby_names'), 'replicas', count(pid),
        'shown', count(sync_state),
        'synchronous', count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::text
      FROM pg_stat_replication
      """;

  private static final Pattern NUMBER =
      Pattern.compile("(?is)\\s*(?:(?:any|first)\\s+)?(\\d+)\\s*\\((.*)\\)\\s*");

  private Acknowledgement() {}

  static Durability of(String answer) {
    JsonObject server = JsonParser.parseString(answer).getAsJsonObject();
    String commit = server.get("commit").getAsString();
    String words = "synchronous_commit=" + commit;
    if (server.get("fsync").getAsString().equals("off")) {
      return new Durability(Level.MEMORY, "fsync=off, " + words);
    }
    if (commit.equals("off")) {
      return new Durability(Level.MEMORY, words);
    }
    if (commit.equals("local")) {
      return new Durability(Level.ONE_DISK, words + ", which waits for no standby");
    }
    String names = server.get("names").getAsString();
    if (names.isBlank()) {
      return new Durability(Level.ONE_DISK, words + ", no synchronous standby");
    }
    words += ", synchronous_standby_names='" + names + "'";
    if (commit.equals("remote_write")) {
      return new Durability(Level.ONE_DISK, words + ": standbys have it in memory");
    }
    int replicas = server.get("replicas").getAsInt();
    if (server.get("shown").getAsInt() < replicas) {
      return Durability.unknown(
          words + ": which standby is synchronous is shown to members of pg_monitor only");
    }
    return server.get("synchronous").getAsInt() == 0
        ? new Durability(Level.ONE_DISK, words + ", no standby is synchronous")
        : ofStandbys(words, names, replicas);
  }

  /** A majority of the primary and the standbys that may be synchronous. */
  private static Durability ofStandbys(String words, String names, int replicas) {
    Matcher numbered = NUMBER.matcher(names);
    boolean counted = numbered.matches();
    int awaited = counted ? Integer.parseInt(numbered.group(1)) : 1;
    String[] list = (counted ? numbered.group(2) : names).replaceAll("\"[^\"]+\"", "x").split(",");
    boolean any = String.join("", list).contains("*");
    int disks = 1 + Math.max(awaited, any ? replicas : list.length);
    Level level = 2 * (1 + awaited) > disks ? Level.MAJORITY_OF_DISKS : Level.ONE_DISK;
    return new Durability(level, "%s: %d of %d disks".formatted(words, 1 + awaited, disks));
  }
}
