/**
 * What machines do, from their cumulative counters. {@link io.shardload.hosts.HostRates} makes
 * samples of a machine into rates on the grid of the file {@code hosts.json}, wherever they come
 * from. {@link io.shardload.hosts.MachineSampler} takes those of a generator's own machine into its
 * ledger, {@link io.shardload.hosts.LocalHosts} reads them back.
 */
package io.shardload.hosts;
