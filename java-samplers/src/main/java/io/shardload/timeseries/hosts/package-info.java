/**
 * What the machines of a cluster did during a run, fetched from the store that scrapes them. The
 * store and the generators are assumed to have the same clock.
 */
package io.shardload.timeseries.hosts;
