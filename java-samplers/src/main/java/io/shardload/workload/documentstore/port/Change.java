package io.shardload.workload.documentstore.port;

/** What an update sets: absolute values, so that a repeated attempt changes nothing more. */
public record Change(String filter2, long filter3, String filter4, String filter5, int edition) {}
