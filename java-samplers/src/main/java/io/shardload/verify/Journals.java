package io.shardload.verify;

import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.config.ConfigException;
import io.shardload.keys.FileJournal;
import io.shardload.keys.States;
import java.io.IOException;
import java.nio.file.Path;

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
    BundleLayout layout = new BundleLayout(bundle);
    for (int generator : layout.generatorsWithJournal()) {
      FileJournal.Replayed replayed =
          FileJournal.replay(
              layout.journal(generator),
              (ordinal, state) -> {
                states.grow(ordinal + 1);
                states.set(ordinal, state);
              });
      largestBlock = Math.max(largestBlock, replayed.largestBlock());
      // A generator writes its final ledger line after closing its journal.
      if (!replayed.whole() || BundleReader.generator(bundle, generator).end() == null) {
        cutOff++;
      }
    }
    return cutOff * Math.max(LEAST_TOLERABLE, LOST_BLOCKS * largestBlock);
  }

  /** Whether the bundle is that of a run whose generators have journalled. */
  static boolean any(Path bundle) throws IOException {
    return !new BundleLayout(bundle).generatorsWithJournal().isEmpty();
  }
}
