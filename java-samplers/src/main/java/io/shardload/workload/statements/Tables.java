package io.shardload.workload.statements;

import com.google.gson.JsonElement;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.parameters.Table;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The tables of a workload as one sequence of rows in the order of a load: row 0 is the first row
 * of the first table. Thread-safe.
 */
public final class Tables {
  private static final int SAMPLE = 64;
  private static final int LARGE_BYTES = 16;
  private static final int SMALL_BYTES = 8;

  /**
   * A table with the number of its rows.
   *
   * @param count of the rows that the load creates
   */
  record Sized(TableRows of, long count) {
    String name() {
      return of.table();
    }
  }

  private final List<Sized> tables;

  /** Where the last range ended; negative while one is loaded, and after one that failed. */
  private final AtomicLong loaded = new AtomicLong(-1);

  /**
   * @param tables in the order in which they are loaded
   */
  Tables(List<Sized> tables) {
    this.tables = List.copyOf(tables);
  }

  /** The tables of a folder, in the order in which they are loaded. */
  public static Tables of(List<Table> tables) {
    return new Tables(tables.stream().map(table -> new Sized(table, table.rows())).toList());
  }

  /** Rows of all tables. */
  public long rows() {
    return tables.stream().mapToLong(Sized::count).sum();
  }

  public List<String> names() {
    return tables.stream().map(Sized::name).toList();
  }

  /** In the form that servers check. */
  public List<TableRows> all() {
    return tables.stream().map(Sized::of).toList();
  }

  public Map<String, Long> rowsByTable() {
    Map<String, Long> rows = new LinkedHashMap<>();
    tables.forEach(table -> rows.put(table.name(), table.count()));
    return rows;
  }

  /** Mean size of a row's values over all tables, measured on a sample; at least 1. */
  public long meanBytes() {
    double bytes = 0;
    for (Sized table : tables) {
      long sampled = Math.min(SAMPLE, table.count());
      long sum = 0;
      for (long i = 0; i < sampled; i++) {
        for (Object value : table.of().row(i * table.count() / sampled)) {
          sum += bytes(value);
        }
      }
      bytes += sampled == 0 ? 0 : (double) sum / sampled * table.count();
    }
    return Math.max(1, Math.round(bytes / Math.max(1, rows())));
  }

  private static long bytes(Object value) {
    if (value == null) {
      return 0;
    }
    if (value instanceof String || value instanceof JsonElement) {
      return value.toString().getBytes(StandardCharsets.UTF_8).length;
    }
    return value instanceof Long || value instanceof Integer || value instanceof Boolean
        ? SMALL_BYTES
        : LARGE_BYTES;
  }

  /** The part of a table in a range of the sequence. */
  private record Piece(Sized table, long from, long end) {}

  private List<Piece> pieces(long from, long end) {
    List<Piece> pieces = new ArrayList<>();
    long first = 0;
    for (Sized table : tables) {
      long begin = Math.max(from, first);
      long stop = Math.min(end, first + table.count());
      if (begin < stop) {
        pieces.add(new Piece(table, begin - first, stop - first));
      }
      first += table.count();
    }
    return pieces;
  }

  /**
   * Writes a range of the sequence. Unless the range before it was written just now, it first
   * checks whether an interrupted load left unrecorded rows: they stay, or the table is emptied and
   * loaded again up to the range.
   */
  public void load(StatementAdmin admin, long from, long end, LongConsumer progress)
      throws CallFailure {
    boolean first = loaded.getAndSet(-1) != from;
    long before = 0;
    for (Piece piece : pieces(from, end)) {
      TableRows rows = piece.table().of();
      boolean isContinued = first && admin.count(rows.table()) != piece.from();
      if (isContinued && !admin.refusesCopies(rows)) {
        mend(admin, piece);
        isContinued = false;
      }
      long done = before;
      admin.load(rows, piece.from(), piece.end(), isContinued, n -> progress.accept(done + n));
      before += piece.end() - piece.from();
    }
    loaded.set(end);
  }

  private static void mend(StatementAdmin admin, Piece piece) throws CallFailure {
    admin.empty(piece.table().name());
    if (piece.from() > 0) {
      admin.load(piece.table().of(), 0, piece.from(), false, unused -> {});
    }
  }

  /** Rows of all tables on the server. */
  public long count(StatementAdmin admin) throws CallFailure {
    long sum = 0;
    for (Sized table : tables) {
      sum += admin.count(table.name());
    }
    return sum;
  }
}
