package io.shardload.workload.documentstore;

import io.shardload.config.Options;
import io.shardload.workload.Model;
import io.shardload.workload.Workload;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tenants with many documents each, found by several filters: 30 % writes, 70 % reads, after the
 * study "MongoDB Sharded vs Postgres Citus" (InCountry). It stresses the operations that such
 * clusters are built for: point writes into indexed tables and list look-ups that return about ten
 * documents of a few KiB, each within one shard.
 */
public final class DocumentStoreWorkload implements Workload {
  private static final List<String> TRANSACTIONS =
      Stream.concat(
              Arrays.stream(WriteTransaction.Kind.values()).map(WriteTransaction.Kind::transaction),
              Arrays.stream(Find.values()).map(Find::transaction))
          .toList();

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
