/**
 * The format of a run bundle's ledgers and histograms: the one place that writes and reads it.
 *
 * <p>{@link io.shardload.bundle.BundleFiles} writes the two growing files of a generator while it
 * runs. {@link io.shardload.bundle.BundleReader} reads a bundle as it was left, also one that was
 * cut off, into a {@link io.shardload.bundle.Bundle}; {@link io.shardload.bundle.HistogramLines}
 * reads the histograms one interval at a time. What cannot be read becomes a problem in words; this
 * package judges nothing and depends on no other package of shardload.
 */
package io.shardload.bundle;
