/**
 * A run bundle as series over time: what it would have been in a store had it been scraped,
 * imported there (publish) or written as files for other tools (export). Memory does not grow with
 * the length of a run: series lie in a temporary file, interval by interval, and are read one at a
 * time.
 */
package io.shardload.timeseries;
