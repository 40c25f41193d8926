package io.shardload.verify;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
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
  /** What one lost end may explain at the least: a slow generator's blocks vary most. */
  private static final long LEAST_TOLERABLE = 1_000;

  /** The second that was being collected, and one more for a flush that came late. */
  private static final long LOST_BLOCKS = 2;

  private Journals() {}

  /**
   * Replays all journals into states by ordinal. Generators own disjoint ordinals, so their order
   * does not matter.
   *
   * <p>A generator writes a block every second, so what a lost end hides is bounded by the largest
   * block of the run: by that of all generators, because one that was killed early has written no
   * block of its own.
   *
   * @return how many documents the lost ends of journals may explain; 0 if every journal is whole
   * @throws ConfigException a journal is damaged before its end
   */
  static long replay(Path bundle, States states) throws IOException {
    long cutOff = 0;
    long largestBlock = 0;
    for (Path journal : journals(bundle)) {
      FileJournal.Replayed replayed =
          FileJournal.replay(
              journal,
              (ordinal, state) -> {
                states.grow(ordinal + 1);
                states.set(ordinal, state);
              });
      largestBlock = Math.max(largestBlock, replayed.largestBlock());
      if (!replayed.whole() || !hasFinalLine(ledger(bundle, journal))) {
        cutOff++;
      }
    }
    return cutOff * Math.max(LEAST_TOLERABLE, LOST_BLOCKS * largestBlock);
  }

  /** Whether the bundle is that of a run whose generators have journalled. */
  static boolean any(Path bundle) throws IOException {
    return !journals(bundle).isEmpty();
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
