/**
 * Histograms and counts of what was run: the one truth of which everything else is a view.
 * Histograms are added, never averaged.
 */
package io.shardload.metrics;
