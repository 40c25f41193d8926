package io.shardload.workload.documentstore;

import io.shardload.data.Compression;
import io.shardload.data.KeyDistribution;
import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.CheckingThreads;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Part;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.ShardShares;
import io.shardload.workload.Transaction;
import io.shardload.workload.documentstore.port.Column;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.TablePart;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The document store with its seed and data parameters. */
public final class DocumentStoreModel implements Model<DocumentStore> {
  private static final int SAMPLE = 64;

  /** The table or collection of every driver. */
  private static final String TABLE = "data_table";

  private final Shape shape;
  private final Documents documents;
  private final Map<String, Transaction<DocumentStore>> transactions = new HashMap<>();

  DocumentStoreModel(Shape shape) {
    this.shape = shape;
    this.documents = new Documents(shape);
    for (WriteTransaction.Kind kind : WriteTransaction.Kind.values()) {
      transactions.put(kind.transaction(), new WriteTransaction(kind, documents));
    }
    for (Find find : Find.values()) {
      transactions.put(find.transaction(), new FindTransaction(find, documents, shape));
    }
  }

  public Documents content() {
    return documents;
  }

  @Override
  public Class<DocumentStore> port() {
    return DocumentStore.class;
  }

  @Override
  public Transaction<DocumentStore> transaction(String name) {
    return transactions.get(name);
  }

  @Override
  public long documents() {
    return shape.documents();
  }

  /** Documents of one tenant after the load, at least 1. */
  long perTenant() {
    return shape.perTenant();
  }

  @Override
  public long bytesPerDocument() {
    return documents.meanBytes();
  }

  @Override
  public KeyDistribution ranks() {
    return shape.ranks();
  }

  @Override
  public Map<String, String> shape() {
    return shape.content();
  }

  @Override
  public String option(String shapeKey, String value) {
    return Shape.option(shapeKey, value);
  }

  @Override
  public Map<String, Object> describe() {
    List<String> sample =
        IntStream.range(0, SAMPLE).mapToObj(documents::document).collect(Collectors.toList());
    Map<String, Object> description = new LinkedHashMap<>(shape.content());
    description.put("key-distribution", shape.distribution());
    description.put("measured_compression_ratio", Compression.deflateRatio(sample));
    return description;
  }

  @Override
  public void checkSchema(Ports ports, boolean recreate) throws CallFailure {
    ports.port(DocumentStoreAdmin.class).checkSchema(recreate, documents.largestBytes());
  }

  @Override
  public List<String> tables() {
    return List.of(TABLE);
  }

  @Override
  public boolean createSchema(Ports ports, Making making, Progress steps) throws CallFailure {
    checkSchema(ports, making.again());
    return ports.port(DocumentStoreAdmin.class).createSchema(making, steps);
  }

  @Override
  public long count(Ports ports) throws CallFailure {
    return ports.port(DocumentStoreAdmin.class).count();
  }

  @Override
  public void load(Ports ports, long from, long end, LongConsumer progress) throws CallFailure {
    ports
        .port(DocumentStoreAdmin.class)
        .load(LongStream.range(from, end).mapToObj(o -> documents.at(o, 0)).iterator(), progress);
  }

  @Override
  public void finishLoad(Ports ports, Progress steps) throws CallFailure {
    ports.port(DocumentStoreAdmin.class).finishLoad(steps);
  }

  @Override
  public List<Part> parts(Ports ports, int threads) throws CallFailure {
    List<TablePart> parts = ports.port(DocumentStoreAdmin.class).parts(threads);
    if (parts.size() == 1 && threads > 1) {
      // Generating each document again for the comparison costs the client more than reading it.
      return List.of(
          visitor ->
              CheckingThreads.read(
                  parts.get(0)::read,
                  threads,
                  row -> row.document() == null ? 0 : row.document().length(),
                  row -> visit(row, visitor)));
    }
    return parts.stream().<Part>map(part -> v -> part.read(row -> visit(row, v))).toList();
  }

  @Override
  public void read(Ports ports, PrimitiveIterator.OfLong ordinals, RowVisitor visitor)
      throws CallFailure {
    Iterator<Key> keys =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return ordinals.hasNext();
          }

          @Override
          public Key next() {
            return documents.key(ordinals.nextLong());
          }
        };
    ports.port(DocumentStoreAdmin.class).read(keys, row -> visit(row, visitor));
  }

  @Override
  public OptionalLong estimate(Ports ports) throws CallFailure {
    return Evidence.documents(ports);
  }

  @Override
  public Map<String, Map<String, Object>> plans(Ports ports, List<String> transactions) {
    return Evidence.plans(this, ports, transactions);
  }

  @Override
  public Map<String, Object> storage(Ports ports) throws CallFailure {
    return Evidence.storage(ports);
  }

  @Override
  public List<ShardShare> placement(Ports ports, int generators) throws CallFailure {
    Optional<DocumentStoreEvidence> evidence = Evidence.port(ports);
    return evidence.isEmpty()
        ? List.of()
        : new ShardShares(
                shape.documents(), shape.tenants(), documents::id, shape.ranks(), generators)
            .read(evidence.get());
  }

  private void visit(Document row, RowVisitor visitor) {
    long ordinal = documents.ordinalOf(row.filter1());
    if (ordinal < 0) {
      visitor.foreign("filter1 " + row.filter1());
    } else if (row.edition() < 0) {
      visitor.row(ordinal, row.edition(), "edition is " + row.edition());
    } else {
      visitor.row(ordinal, row.edition(), defect(row, documents.at(ordinal, row.edition())));
    }
  }

  /** The first wrong column, or null. */
  private static String defect(Document row, Document right) {
    if (row.equals(right)) {
      return null;
    }
    if (!right.id().equals(row.id())) {
      return "id";
    }
    for (Column column : Column.values()) {
      if (!right.value(column).equals(row.value(column))) {
        return column.title();
      }
    }
    return "document";
  }
}
