/**
 * What the machines of a cluster did during a run, fetched from the store that scrapes them. The
 * clock of the store is taken to be that of the generators.
 */
package io.shardload.timeseries.hosts;
