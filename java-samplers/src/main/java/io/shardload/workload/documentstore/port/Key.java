package io.shardload.workload.documentstore.port;

import java.util.UUID;

/** What a document is found by. */
public record Key(UUID id, String filter1) {}
