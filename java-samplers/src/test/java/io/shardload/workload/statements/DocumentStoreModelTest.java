package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.Golden;
import io.shardload.topology.Division;
import io.shardload.topology.ShardShare;
import io.shardload.workload.Ports;
import io.shardload.workload.ShardShares;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.StatementAdmin;
import java.lang.reflect.Proxy;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What follows from the rows of document-store; the rows are in DocumentStoreSqlTest. */
class DocumentStoreModelTest {
  @Test
  void aKeyLeadsBackToItsRow() {
    for (DocumentStoreData data : DocumentStoreData.ALL) {
      Entity entity = DocumentStoreFolder.entity(data.folder("postgresql"));
      // Loaded ones, and some that calls insert.
      for (long row = 0; row < data.documents() + 20; row += 1 + data.documents() / 40) {
        assertThat(entity.rowOf(entity.value(entity.key(), row, 0))).isEqualTo(row);
      }
    }
  }

  /** What is not a whole number of documents of one size is measured. */
  @Test
  void aDocumentHasTheSizeThatIsAskedFor() {
    assertThat(DocumentStoreData.ALL)
        .extracting(data -> data.folder("postgresql").bytesPerDocument())
        .containsExactly(2048L, 8L, 333L, 16384L, 7680L);
    assertThat(DocumentStoreData.ALL)
        .allMatch(data -> data.folder("postgresql").documents() == data.documents());
  }

  /** Shards by the first digit of the id; mutation: the groups are those of another column. */
  @Test
  void sharesOfShards() throws Exception {
    ShardShares.Shards shards =
        new ShardShares.Shards() {
          @Override
          public Map<String, BitSet> of(List<UUID> ids) {
            Map<String, BitSet> all = new TreeMap<>();
            for (int i = 0; i < ids.size(); i++) {
              all.computeIfAbsent(ids.get(i).toString().substring(0, 1), key -> new BitSet())
                  .set(i);
            }
            return all;
          }

          @Override
          public Optional<Division> division() {
            return Optional.empty();
          }
        };
    StatementAdmin admin =
        (StatementAdmin)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatementAdmin.class},
                (proxy, method, given) -> {
                  assertThat(given).containsExactly("data_table", "id");
                  return shards;
                });
    Ports ports =
        new Ports() {
          @Override
          public <P> P port(Class<P> type) {
            return type.cast(admin);
          }
        };
    DocumentStoreData data = new DocumentStoreData(1, 5003, 77, 100, 2.0, 10);
    List<ShardShare> shares = data.folder("postgresql").placement(ports, 3);
    assertThat(shares).hasSize(16);
    Golden.check(
        "shares.txt", shares.stream().map(share -> share + "\n").collect(Collectors.joining()));
  }
}
