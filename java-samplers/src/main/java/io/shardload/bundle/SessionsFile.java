package io.shardload.bundle;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.annotations.SerializedName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The content of sessions.jsonl: what the sessions of the load did inside the servers, a line for
 * each second or so. The file is read line by line, so that a long run is never held in memory.
 */
public final class SessionsFile {
  private static final Gson JSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .create();

  private SessionsFile() {}

  /**
   * All servers at one time.
   *
   * @param epochMillis by the clock of the controller
   * @param servers by host and port
   * @param refused what was not reported, with the reason in words
   */
  public record Moment(
      @SerializedName("epoch_ms") long epochMillis,
      Map<String, Server> servers,
      Map<String, String> refused) {

    public Moment {
      servers = whole(servers);
      refused = whole(refused);
    }
  }

  /**
   * One server.
   *
   * @param sessions how many of the load's sessions did what, by what it is called in all systems
   *     and by the server's word for it
   * @param roundTripSeconds of an exchange without the server's own time; null if not known
   * @param checkpoints since the server counts them; null if not known
   */
  public record Server(
      String role,
      Map<String, Map<String, Double>> sessions,
      Double roundTripSeconds,
      Double checkpoints) {

    public Server {
      role = role == null ? "" : role;
      sessions = whole(sessions);
      sessions.replaceAll((doing, events) -> whole(events));
    }
  }

  /** A bundle is input: what is missing in a line is nothing. */
  private static <T> Map<String, T> whole(Map<String, T> map) {
    Map<String, T> whole = new TreeMap<>(map == null ? Map.of() : map);
    whole.values().removeIf(Objects::isNull);
    return whole;
  }

  /** Appends a line. */
  public static void append(Moment moment, Writer out) throws IOException {
    out.write(JSON.toJson(moment));
    out.write('\n');
  }

  /** Reads a file line by line, if there is one; what is not a whole line is left out. */
  public static void read(Path file, Consumer<Moment> each) throws IOException {
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Moment moment = parse(line);
        if (moment != null) {
          each.accept(moment);
        }
      }
    }
  }

  private static Moment parse(String line) {
    try {
      return JSON.fromJson(line, Moment.class);
    } catch (JsonParseException unreadable) {
      return null;
    }
  }
}
