package io.shardload.workload.statements;

import io.shardload.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Data of document-store, with a number for each option.
 *
 * @param size of a document; 0 for one of several
 * @param rows that a find returns on average
 */
public record DocumentStoreData(
    long seed, long documents, int tenants, int size, double compressibility, int rows) {
  /** The shapes of the golden files. */
  public static final List<DocumentStoreData> ALL =
      List.of(
          new DocumentStoreData(1, 100_000, 1000, 2048, 2.0, 10),
          new DocumentStoreData(7, 40, 2, 8, 1.3, 5),
          new DocumentStoreData(9_000_000_000_000_000_000L, 5000, 7, 333, 4.0, 9),
          new DocumentStoreData(3, 500, 500, 16384, 3.5, 100),
          new DocumentStoreData(5, 400, 10, 0, 2.0, 10));

  /** That of the calls. */
  public static final DocumentStoreData CALLS = new DocumentStoreData(1, 40, 2, 8, 2.0, 5);

  /** The transactions, in the order of the golden files. */
  public static final List<String> TRANSACTIONS =
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

  /** The values of a row. */
  @FunctionalInterface
  public interface Rows {
    List<?> at(long ordinal, int edition);
  }

  /** The values of the folder's options. */
  public Map<String, Object> chosen() {
    Map<String, Object> chosen = new LinkedHashMap<>();
    chosen.put("tenants", tenants);
    chosen.put("document_size", size == 0 ? (Object) "variable" : size);
    chosen.put("compressibility", compressibility);
    chosen.put("rows_per_find", rows);
    return chosen;
  }

  public StatementsModel folder(String system) {
    return DocumentStoreFolder.model(system, seed, documents, chosen());
  }

  /** First, middle and last loaded rows and some that calls insert, at several editions. */
  public String text(Rows rows) {
    List<String> lines = new ArrayList<>(List.of(toString()));
    for (long ordinal :
        List.of(0L, 1L, documents / 2, documents - 1, documents, documents + 19, 1L << 30)) {
      for (int edition : List.of(0, 1, 2, 999)) {
        String values =
            rows.at(ordinal, edition).stream()
                .map(value -> shortened(String.valueOf(value)))
                .collect(Collectors.joining("|"));
        lines.add("%d/%d %s".formatted(ordinal, edition, values));
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static String shortened(String text) {
    return text.length() <= 80
        ? text
        : "%s... %d characters, SHA-256 %s"
            .formatted(
                text.substring(0, 40),
                text.length(),
                HexFormat.of()
                    .formatHex(Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8))));
  }
}
