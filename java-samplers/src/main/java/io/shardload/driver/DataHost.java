package io.shardload.driver;

/**
 * A host that holds documents, as the cluster reports it. A router, a coordinator or a connection
 * pooler in between does not count.
 *
 * @param address name or address without a port; empty if the server has none, as behind a socket
 *     file
 * @param bootId of the kernel that runs there, also of that around a container; empty if the server
 *     does not report it
 */
public record DataHost(String address, String bootId) {}
