/**
 * A run bundle as series over time: the same series as from scraping the run, imported into a store
 * (publish) or written as files for other tools (export). Memory does not grow with the length of a
 * run: series lie in a temporary file, interval by interval, and are read one at a time. What the
 * machines of a cluster did is fetched from the store that scrapes them; the store and the
 * generators are assumed to have the same clock.
 */
package io.shardload.timeseries;
