package io.shardload.verify;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.keys.FileJournal;
import io.shardload.keys.States;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The journals of one run in its bundle. A generator without a journal has written nothing. */
final class Journals {
  private Journals() {}

  /**
   * Replays all journals into states by ordinal. Generators own disjoint ordinals, so their order
   * does not matter.
   *
   * @return whether any journal misses its end
   */
  static boolean replay(Path bundle, States states) throws IOException {
    boolean cutOff = false;
    for (Path journal : journals(bundle)) {
      boolean whole =
          FileJournal.replay(
              journal,
              (ordinal, state) -> {
                states.grow(ordinal + 1);
                states.set(ordinal, state);
              });
      cutOff |= !whole || !hasFinalLine(ledger(bundle, journal));
    }
    return cutOff;
  }

  private static List<Path> journals(Path bundle) throws IOException {
    Path directory = bundle.resolve("journal");
    List<Path> journals = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "generator-*.jnl")) {
        files.forEach(journals::add);
      }
    }
    return journals;
  }

  private static Path ledger(Path bundle, Path journal) {
    String name = journal.getFileName().toString().replaceAll("\\.jnl$", ".jsonl");
    return bundle.resolve("latencies").resolve(name);
  }

  /** Whether the generator wrote its last ledger line, which it does after closing its journal. */
  private static boolean hasFinalLine(Path ledger) throws IOException {
    if (!Files.exists(ledger)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(ledger)) {
      return lines.filter(line -> line.contains("\"final\"")).anyMatch(Journals::isFinal);
    }
  }

  private static boolean isFinal(String line) {
    try {
      var value = JsonParser.parseString(line).getAsJsonObject().get("final");
      return value != null && value.getAsBoolean();
    } catch (JsonParseException | IllegalStateException e) {
      return false;
    }
  }
}
