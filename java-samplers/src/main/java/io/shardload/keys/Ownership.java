package io.shardload.keys;

/**
 * Which ordinals one generator owns. Loaded ordinals are dealt in blocks (block b to generator b
 * mod n), so ownership is arithmetic; new ordinals come in ranges.
 *
 * @param generator index of this generator, from 0
 * @param generators number of generators of the run
 * @param loaded high-water mark at which the run began: ordinals below it are dealt
 */
public record Ownership(int generator, int generators, long loaded) {
  /** Ordinals per block. */
  public static final int BLOCK = 1024;

  public Ownership {
    if (generator < 0 || generator >= generators || loaded < 0) {
      throw new IllegalArgumentException(
          "generator " + generator + " of " + generators + ", loaded " + loaded);
    }
  }

  /** How many of the loaded ordinals this generator owns. */
  public long ownedLoaded() {
    long fullBlocks = loaded / BLOCK;
    long rest = loaded % BLOCK;
    long owned = (fullBlocks + generators - 1 - generator) / generators * BLOCK;
    return fullBlocks % generators == generator ? owned + rest : owned;
  }

  /** The loaded ordinal at a position among the owned ones. */
  public long ordinalAt(long position) {
    long block = position / BLOCK * generators + generator;
    return block * BLOCK + position % BLOCK;
  }

  /** The position of a loaded ordinal among the owned ones, or -1 if another generator owns it. */
  public long positionOf(long ordinal) {
    long block = ordinal / BLOCK;
    return block % generators == generator ? block / generators * BLOCK + ordinal % BLOCK : -1;
  }
}
