/** Conclusions from a few measurements, and their uncertainty, independent of what was measured. */
package io.shardload.statistics;
