package io.shardload.workload.documentstore.port;

/** What an update sets. */
public record Change(String filter2, long filter3, String filter4, String filter5, int edition) {}
