package io.shardload.workload.documentstore.port;

import java.util.UUID;

/** The key of a document. */
public record Key(UUID id, String filter1) {}
