package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

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
    all.put("find-by-id-and-filter1", byKey());
    all.put(
        "find-by-id-and-filter2",
        List.of(
            store -> store.findByIdAndFilter2(CROWDED, "same", NONE),
            store -> store.findByIdAndFilter2(ODD, "", NONE),
            store -> store.findByIdAndFilter2(ODD, "none", NONE)));
    all.put(
        "find-by-id-and-filter2-list",
        lists((store, values) -> store.findByIdAndFilter2List(CROWDED, values, NONE)));
    all.put(
        "find-by-id-and-filter4-list",
        lists((store, values) -> store.findByIdAndFilter4List(CROWDED, values, NONE)));
    all.put(
        "find-by-id-and-filter4-and-filter5-list",
        lists(
            (store, values) ->
                store.findByIdAndFilter4AndFilter5List(CROWDED, "same", values, NONE)));
    all.put("find-by-id-and-filter5", byFilter5());
    all.put("find-by-id-and-filter3-lte", bounds());
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

  private static List<Probe> byKey() {
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String filter1 = name("odd", i);
      probes.add(store -> store.findByIdAndFilter1(ODD, filter1, NONE));
    }
    probes.add(store -> store.findByIdAndFilter1(CROWDED, name("odd", 0), NONE));
    probes.add(store -> store.findByIdAndFilter1(ODD, "none", NONE));
    return probes;
  }

  private static List<Probe> byFilter5() {
    return List.of(
        store -> store.findByIdAndFilter5(CROWDED, "same", NONE),
        store -> store.findByIdAndFilter5(ODD, "same", NONE),
        store -> store.findByIdAndFilter5(ODD, "$a.b", NONE),
        store -> store.findByIdAndFilter5(CROWDED, "none", NONE));
  }

  private static List<Probe> bounds() {
    List<Probe> probes = new ArrayList<>();
    for (long bound : new long[] {-1, 0, 49, 99, 100, CROWD}) {
      probes.add(store -> store.findByIdAndFilter3Lte(CROWDED, bound, NONE));
    }
    for (long bound : new long[] {BEYOND_DOUBLE - 1, BEYOND_DOUBLE, Long.MAX_VALUE}) {
      probes.add(store -> store.findByIdAndFilter3Lte(ODD, bound, NONE));
    }
    return probes;
  }

  /**
   * If {@code $or} is one object, it acts as an AND or as its last branch: the match is first, then
   * last.
   */
  private static List<Probe> lists(ListFind find) {
    List<Probe> probes = new ArrayList<>();
    for (List<String> values :
        List.of(
            List.of("same", "none"),
            List.of("none", "same"),
            List.of("same", "same"),
            List.of("none", "neither"))) {
      probes.add(store -> find.run(store, values));
    }
    return probes;
  }

  @FunctionalInterface
  private interface ListFind {
    List<Document> run(DocumentStore store, List<String> values) throws CallFailure;
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
