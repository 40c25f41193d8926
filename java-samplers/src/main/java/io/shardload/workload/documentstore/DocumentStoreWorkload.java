package io.shardload.workload.documentstore;

import io.shardload.config.Options;
import io.shardload.workload.Model;
import io.shardload.workload.Workload;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.List;

/**
 * Tenants with many documents each, found by several filters: 30 % writes, 70 % reads, after the
 * study "MongoDB Sharded vs Postgres Citus" (InCountry). It stresses the operations that such
 * clusters are built for: point writes into indexed tables and list look-ups that return about ten
 * documents of a few KiB, each within one shard.
 */
public final class DocumentStoreWorkload implements Workload {
  private static final List<String> TRANSACTIONS =
      List.of(
          "update",
          "delete",
          "insert",
          "find-by-id-and-filter4-and-filter5-list",
          "find-by-id-and-filter4-list",
          "find-by-id-and-filter5",
          "find-by-id-and-filter2",
          "find-by-id-and-filter2-list",
          "find-by-id-and-filter3-lte",
          "find-by-id-and-filter1");

  @Override
  public String name() {
    return "document-store";
  }

  @Override
  public List<String> transactions() {
    return TRANSACTIONS;
  }

  @Override
  public Model<DocumentStore> model(long seed, Options data) {
    return new DocumentStoreModel(Shape.read(seed, data));
  }
}
