package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Cases that seeded data does not contain: more matches than LIMIT, equal values of two tenants,
 * texts and numbers that a protocol may alter, missing keys, and an existing key.
 */
final class Edges {
  /** One call on the port, the same for every side. */
  @FunctionalInterface
  interface Probe {
    void run(DocumentStore store) throws CallFailure;
  }

  private static final UUID CROWDED = UUID.fromString("c0000000-0000-4000-8000-000000000001");
  private static final UUID ODD = UUID.fromString("c0000000-0000-4000-8000-000000000002");
  private static final int CROWD = DocumentStore.LIMIT + 50;
  private static final Phases NONE = Phases.NONE;

  /** The first integer that a double cannot hold. */
  private static final long BEYOND_DOUBLE = (1L << 53) + 1;

  private static final String ODD_TEXT = "O'Neill \"$or\" {a: 1} \\n % äß漢字 \uD83D\uDE00";

  /**
   * If {@code $or} is one object, it acts as an AND or as its last branch: the match is first, then
   * last.
   */
  private static final String[][] PAIRS = {
    {"same", "none"}, {"none", "same"}, {"same", "same"}, {"none", "neither"}
  };

  private Edges() {}

  static List<Document> documents() {
    List<Document> all = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      all.add(new Document(CROWDED, name("crowd", i), "same", i, "same", "same", "text", 0));
    }
    // The same values of another tenant: a find that ignores id returns these rows, too.
    all.add(new Document(ODD, name("odd", 0), "same", 0, "same", "same", "text", 1));
    all.add(new Document(ODD, name("odd", 1), "", BEYOND_DOUBLE, ODD_TEXT, "$a.b", ODD_TEXT, 2));
    all.add(new Document(ODD, name("odd", 2), "null", Long.MAX_VALUE, "", "0", " ", 4095));
    all.add(new Document(ODD, name("odd", 3), "0", Long.MIN_VALUE, "same ", "SAME", "\t\n", 3));
    return all;
  }

  /** The probes of each transaction. */
  static Map<String, List<Probe>> probes() {
    Map<String, List<Probe>> all = new LinkedHashMap<>();
    for (Find find : Find.values()) {
      all.put(
          find.transaction(),
          queries(find).<Probe>map(query -> store -> store.find(query, NONE)).toList());
    }
    all.put("insert", inserts());
    all.put("update", updates());
    all.put(
        "delete",
        List.of(
            store -> store.delete(CROWDED, "none", NONE),
            store -> store.delete(ODD, name("crowd", 0), NONE),
            store -> store.delete(ODD, name("odd", 2), NONE)));
    return all;
  }

  private static Stream<Query> queries(Find find) {
    return switch (find) {
      case BY_ID_AND_FILTER1 ->
          Stream.concat(
              IntStream.range(0, 4).mapToObj(i -> find.of(ODD, name("odd", i))),
              Stream.of(find.of(CROWDED, name("odd", 0)), find.of(ODD, "none")));
      case BY_ID_AND_FILTER2 ->
          Stream.of(find.of(CROWDED, "same"), find.of(ODD, ""), find.of(ODD, "none"));
      case BY_ID_AND_FILTER2_LIST, BY_ID_AND_FILTER4_LIST ->
          Arrays.stream(PAIRS).map(pair -> find.of(CROWDED, pair[0], pair[1]));
      case BY_ID_AND_FILTER4_AND_FILTER5_LIST ->
          Arrays.stream(PAIRS).map(pair -> find.of(CROWDED, "same", pair[0], pair[1]));
      case BY_ID_AND_FILTER5 ->
          Stream.of(
              find.of(CROWDED, "same"),
              find.of(ODD, "same"),
              find.of(ODD, "$a.b"),
              find.of(CROWDED, "none"));
      case BY_ID_AND_FILTER3_LTE ->
          Stream.concat(
              LongStream.of(-1, 0, 49, 99, 100, CROWD).mapToObj(bound -> find.of(CROWDED, bound)),
              LongStream.of(BEYOND_DOUBLE - 1, BEYOND_DOUBLE, Long.MAX_VALUE)
                  .mapToObj(bound -> find.of(ODD, bound)));
    };
  }

  private static List<Probe> inserts() {
    Document there = documents().get(0);
    Document other = new Document(there.id(), there.filter1(), "b", 1, "b", "b", "b", 9);
    Document odd = new Document(ODD, name("odd", 9), "", -1, ODD_TEXT, "", ODD_TEXT, 7);
    return List.of(
        store -> store.insert(there, NONE),
        store -> store.insert(other, NONE),
        store -> store.insert(odd, NONE));
  }

  private static List<Probe> updates() {
    Change change = new Change("", BEYOND_DOUBLE, ODD_TEXT, "$a.b", 12);
    return List.of(
        store -> store.update(CROWDED, "none", 0, change, NONE),
        store -> store.update(ODD, name("crowd", 0), 0, change, NONE),
        store -> store.update(CROWDED, name("crowd", 1), 0, change, NONE),
        // By now the document has another edition.
        store -> store.update(CROWDED, name("crowd", 1), 0, change, NONE),
        // The same update again: a row counts as changed although its content does not change.
        store -> store.update(CROWDED, name("crowd", 1), 12, change, NONE));
  }

  private static String name(String kind, int number) {
    return "%s-%03d".formatted(kind, number);
  }
}
