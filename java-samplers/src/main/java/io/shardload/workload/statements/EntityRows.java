package io.shardload.workload.statements;

import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.CheckingThreads;
import io.shardload.workload.Dependents;
import io.shardload.workload.Part;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.ShardShares;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.EntityChildren;
import io.shardload.workload.statements.parameters.Table;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.StatementAdmin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the rows of the entity back and compares them, for verification.
 *
 * @param documents rows that were loaded into all tables: ordinals from there on are new rows
 */
record EntityRows(Entity entity, long documents) {
  private static final int BATCH = 256;

  /** What a row has in the key's column, for messages. */
  String name(long ordinal) {
    return "%s %s"
        .formatted(
            entity.keyColumn(), entity.value(entity.key(), entity.row(ordinal, documents), 0));
  }

  /** Hands rows over to a visitor: those of the entity first, then those of each child table. */
  List<Answers> judging(RowVisitor visitor) {
    List<Answers> all = new ArrayList<>();
    all.add(new Rows(visitor));
    for (int i = 0; i < entity.storedChildren().size(); i++) {
      all.add(new ChildRows(i, entity.storedChildren().get(i), visitor));
    }
    return all;
  }

  /** The child tables. */
  List<Dependents> dependents() {
    return entity.storedChildren().stream().<Dependents>map(DependentsOf::new).toList();
  }

  /** What falls to each shard; empty if the rows are in no groups. */
  List<ShardShare> placement(StatementAdmin admin, int generators) throws CallFailure {
    Optional<ShardShares> shares = entity.shares(generators);
    return shares.isEmpty()
        ? List.of()
        : shares
            .get()
            .read(admin.shards(entity.table().table(), entity.grouping().orElseThrow().column()));
  }

  /** The tables in parts that can be read at the same time. */
  List<Part> parts(StatementAdmin admin, int threads) throws CallFailure {
    List<Part> parts =
        new ArrayList<>(parts(admin, entity.table(), entity.keyColumn(), threads, Rows::new));
    for (int i = 0; i < entity.storedChildren().size(); i++) {
      int index = i;
      EntityChildren child = entity.storedChildren().get(i);
      parts.addAll(
          parts(
              admin,
              child.table(),
              child.keyColumn(),
              threads,
              visitor -> new ChildRows(index, child, visitor)));
    }
    return parts;
  }

  private static List<Part> parts(
      StatementAdmin admin,
      Table table,
      String key,
      int threads,
      Function<RowVisitor, Answers> judging)
      throws CallFailure {
    List<StatementAdmin.TablePart> parts = admin.parts(table, key, threads);
    if (parts.size() == 1 && threads > 1) {
      // Generating each row again for the comparison costs the client more than reading it.
      return List.of(
          visitor -> {
            Answers judge = judging.apply(visitor);
            CheckingThreads.<Row>read(
                rows -> parts.get(0).read(new Kept(rows)),
                threads,
                Row::characters,
                row -> judge.row(0, row.values, row.equality));
          });
    }
    return parts.stream().<Part>map(part -> visitor -> part.read(judging.apply(visitor))).toList();
  }

  /** A row that outlives the next one. */
  private record Row(List<?> values, Equality equality) {
    int characters() {
      return values.stream()
          .mapToInt(value -> value instanceof String text ? text.length() : Long.BYTES)
          .sum();
    }
  }

  /** Hands rows over to other threads. */
  private record Kept(Consumer<Row> rows) implements Answers {
    @Override
    public void begin() {}

    @Override
    public void row(int statement, List<?> values, Equality equality) {
      rows.accept(new Row(new ArrayList<>(values), equality));
    }

    @Override
    public void ended(int statement, long count) {}
  }

  /** Reads the rows of these ordinals by their keys. */
  void read(StatementAdmin admin, PrimitiveIterator.OfLong ordinals, RowVisitor visitor)
      throws CallFailure {
    List<Object> keys = new ArrayList<>();
    while (ordinals.hasNext()) {
      keys.add(entity.value(entity.key(), entity.row(ordinals.nextLong(), documents), 0));
      if (keys.size() == BATCH || !ordinals.hasNext()) {
        admin.read(entity.table(), entity.keyColumn(), keys, new Rows(visitor));
        for (int i = 0; i < entity.storedChildren().size(); i++) {
          EntityChildren child = entity.storedChildren().get(i);
          admin.read(child.table(), child.linkColumn(), keys, new ChildRows(i, child, visitor));
        }
        keys.clear();
      }
    }
  }

  /** The rows of a child table by the ordinals of the entity. */
  private final class DependentsOf implements Dependents {
    private final EntityChildren child;

    DependentsOf(EntityChildren child) {
      this.child = child;
    }

    @Override
    public long first(long ordinal) {
      return child.family().first(entity.row(ordinal, documents));
    }

    @Override
    public long count(long ordinal) {
      return child.family().count(entity.row(ordinal, documents));
    }

    @Override
    public String words(long number) {
      return child.words(number);
    }
  }

  /** Judges each row of a child table. */
  private final class ChildRows implements Answers {
    private final int index;
    private final EntityChildren child;
    private final RowVisitor visitor;

    ChildRows(int index, EntityChildren child, RowVisitor visitor) {
      this.index = index;
      this.child = child;
      this.visitor = visitor;
    }

    @Override
    public void begin() {}

    @Override
    public void row(int statement, List<?> values, Equality equality) {
      Object key = values.get(child.key());
      long row = child.rowOf(key);
      if (row < 0) {
        visitor.foreign("%s with %s %s".formatted(child.table().table(), child.keyColumn(), key));
      } else {
        long ordinal = entity.ordinal(child.parentOf(row), documents);
        visitor.dependent(index, ordinal, row, child.defect(values, equality, row));
      }
    }

    @Override
    public void ended(int statement, long rows) {}
  }

  /** Judges each row. */
  private final class Rows implements Answers {
    private final RowVisitor visitor;

    Rows(RowVisitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void begin() {}

    @Override
    public void row(int statement, List<?> values, Equality equality) {
      Object key = values.get(entity.key());
      long row = entity.rowOf(key);
      long ordinal = row < 0 ? row : entity.ordinal(row, documents);
      if (ordinal < 0) {
        visitor.foreign("%s %s".formatted(entity.keyColumn(), key));
        return;
      }
      Object edition = entity.edition() < 0 ? (Object) 0L : values.get(entity.edition());
      if (!(edition instanceof Long number) || number < 0 || number > Integer.MAX_VALUE) {
        visitor.row(ordinal, -1, "edition is " + edition);
        return;
      }
      visitor.row(ordinal, number, defect(values, equality, row, number.intValue()));
    }

    /** The first column that differs, or null. */
    private String defect(List<?> values, Equality equality, long row, int edition) {
      for (int i = 0; i < values.size(); i++) {
        if (i != entity.edition() && !entity.holds(equality, i, values.get(i), i, row, edition)) {
          return entity.table().columns().get(i);
        }
      }
      return null;
    }

    @Override
    public void ended(int statement, long rows) {}
  }
}
