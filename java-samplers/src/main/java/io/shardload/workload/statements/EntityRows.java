package io.shardload.workload.statements;

import io.shardload.workload.CallFailure;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.StatementAdmin;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;

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

  /** Hands rows over to a visitor. */
  Answers judging(RowVisitor visitor) {
    return new Rows(visitor);
  }

  /** Reads every row once. */
  void read(StatementAdmin admin, RowVisitor visitor) throws CallFailure {
    admin.read(entity.table(), entity.keyColumn(), null, new Rows(visitor));
  }

  /** Reads the rows of these ordinals by their keys. */
  void read(StatementAdmin admin, PrimitiveIterator.OfLong ordinals, RowVisitor visitor)
      throws CallFailure {
    List<Object> keys = new ArrayList<>();
    while (ordinals.hasNext()) {
      keys.add(entity.value(entity.key(), entity.row(ordinals.nextLong(), documents), 0));
      if (keys.size() == BATCH || !ordinals.hasNext()) {
        admin.read(entity.table(), entity.keyColumn(), keys, new Rows(visitor));
        keys.clear();
      }
    }
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
    public void row(int statement, Object[] values, Equality equality) {
      Object key = values[entity.key()];
      long row = entity.rowOf(key);
      long ordinal = row < 0 ? row : entity.ordinal(row, documents);
      if (ordinal < 0) {
        visitor.foreign("%s %s".formatted(entity.keyColumn(), key));
        return;
      }
      Object edition = entity.edition() < 0 ? (Object) 0L : values[entity.edition()];
      if (!(edition instanceof Long number) || number < 0 || number > Integer.MAX_VALUE) {
        visitor.row(ordinal, -1, "edition is " + edition);
        return;
      }
      visitor.row(ordinal, number, defect(values, equality, row, number.intValue()));
    }

    /** The first column that differs, or null. */
    private String defect(Object[] values, Equality equality, long row, int edition) {
      for (int i = 0; i < values.length; i++) {
        if (i != entity.edition() && !entity.holds(equality, i, values[i], i, row, edition)) {
          return entity.table().columns().get(i);
        }
      }
      return null;
    }

    @Override
    public void ended(int statement, long rows) {}
  }
}
