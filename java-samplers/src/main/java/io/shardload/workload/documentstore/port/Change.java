package io.shardload.workload.documentstore.port;

/** The columns that an update sets. */
public record Change(String filter2, long filter3, String filter4, String filter5, int edition) {}
