/**
 * Histograms and counts of the executed transactions: the single source of truth, of which
 * everything else is a view. Histograms are added, never averaged.
 */
package io.shardload.metrics;
