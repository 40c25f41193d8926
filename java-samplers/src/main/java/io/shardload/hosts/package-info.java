/**
 * What machines do, from their cumulative counters: samples of a machine become rates on the grid
 * of the file {@code hosts.json}.
 */
package io.shardload.hosts;
