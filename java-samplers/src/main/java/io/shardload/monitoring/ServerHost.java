package io.shardload.monitoring;

/**
 * A host of a cluster.
 *
 * @param host name or address without a port, as the cluster itself names it
 * @param port of the database server there
 */
public record ServerHost(String host, int port, Role role) {}
