package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many tenants there are by default, and how evenly that many fall on shards. */
class TenantsTest {
  private static final int SHARDS = 12;

  private static Shape shape(long seed, String data) {
    return Shape.read(
        seed, new Options("workload.data", JsonParser.parseString(data).getAsJsonObject()));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "500, 500",
    "2000, 1000",
    "100000, 1000",
    "100001, 1000",
    "1000000, 10000",
    "2147483648, 10000000"
  })
  void theirNumberFollowsFromTheDocuments(long documents, int tenants) {
    assertThat(shape(1, "{'documents': %d}".formatted(documents)).tenants()).isEqualTo(tenants);
  }

  @Test
  void aNumberThatIsGivenStands() {
    assertThat(shape(1, "{'documents': 100000, 'tenants': 100}").tenants()).isEqualTo(100);
    assertThat(shape(1, "{}").content()).containsEntry("tenants", "1000");
  }

  /**
   * The hottest of twelve shards over the mean one, on average over 200 seeds; a tenant lies where
   * the hash of its id puts it. A separate program that throws tenants at random found 1.609, 1.176
   * and 1.056.
   */
  @Test
  void withTheDefaultTheHottestShardIsNearTheMean() {
    assertThat(hottest("{'documents': 100000, 'tenants': 100}")).isCloseTo(1.60, within(0.03));
    assertThat(hottest("{'documents': 100000}")).isCloseTo(1.17, within(0.02));
    assertThat(hottest("{'documents': 1000000}")).isCloseTo(1.05, within(0.01));
  }

  private static double hottest(String data) {
    return LongStream.range(0, 200).mapToDouble(seed -> hottest(shape(seed, data))).sum() / 200;
  }

  private static double hottest(Shape shape) {
    Documents documents = new Documents(shape);
    int[] tenants = new int[SHARDS];
    int most = 0;
    for (int tenant = 0; tenant < shape.tenants(); tenant++) {
      most = Math.max(most, ++tenants[shard(documents, tenant)]);
    }
    return (double) most * SHARDS / shape.tenants();
  }

  /** As MongoDB's hashed shard key does: 64 bits of an MD5, cut into ranges of equal length. */
  private static int shard(Documents documents, long tenant) {
    try {
      ByteBuffer id = ByteBuffer.allocate(16);
      id.putLong(documents.id(tenant).getMostSignificantBits());
      id.putLong(documents.id(tenant).getLeastSignificantBits());
      byte[] hash = MessageDigest.getInstance("MD5").digest(id.array());
      long place = ByteBuffer.wrap(hash).getLong();
      return (int) Math.multiplyHigh(place >>> 1, 2L * SHARDS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
