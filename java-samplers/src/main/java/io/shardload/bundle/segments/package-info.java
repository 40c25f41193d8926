/** Histograms of whole segments, made from those of intervals. */
package io.shardload.bundle.segments;
