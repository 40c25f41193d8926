package io.shardload.driver.mongodb.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Sheet;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** Every field, with the literal value in the fake reply. */
class StatusMetricsTest {
  @Test
  void everyMetricOfAMemberOfVersion44() {
    assertThat(lines(Replies.document("serverStatus-mongod-4.4.json")))
        .containsExactly(
            "uptime_seconds 7200",
            "operations{operation=insert} 2083",
            "operations{operation=query} 6132",
            "operations{operation=update} 1559",
            "operations{operation=delete} 2064",
            "operations{operation=getmore} 19527",
            "operations{operation=command} 44255",
            "connections{state=current} 22",
            "connections{state=available} 838838",
            "connections{state=active} 2",
            "documents{operation=inserted} 2083",
            "documents{operation=updated} 1542",
            "documents{operation=deleted} 1030",
            "documents{operation=returned} 21729",
            "scanned{kind=keys} 9181",
            "scanned{kind=documents} 24285",
            "write_conflicts 5",
            "cache_bytes{kind=used} 4148341",
            "cache_bytes{kind=dirty} 2839808",
            "cache_bytes{kind=max} 16241393664",
            "cache_read_bytes 1040",
            "cache_written_bytes 28182681",
            "evicted_pages{kind=modified} 17",
            "evicted_pages{kind=unmodified} 18",
            "checkpoint_seconds 29.5",
            "cursors{state=open} 4",
            "cursors{state=pinned} 1",
            "tickets{mode=read,state=out} 1",
            "tickets{mode=read,state=available} 127",
            "tickets{mode=read,state=total} 128",
            "tickets{mode=write,state=out} 3",
            "tickets{mode=write,state=available} 125",
            "tickets{mode=write,state=total} 128",
            "queue{mode=reader} 3",
            "queue{mode=writer} 4",
            "latency_seconds{operation=read} 6.5",
            "latency_seconds{operation=write} 0.1875",
            "latency_seconds{operation=command} 49.75",
            "latency_operations{operation=read} 19565",
            "latency_operations{operation=write} 44",
            "latency_operations{operation=command} 43723",
            "network_bytes{direction=received} 32556669",
            "network_bytes{direction=sent} 154125577",
            "page_faults 7",
            "asserts{kind=regular} 1",
            "asserts{kind=warning} 2",
            "asserts{kind=msg} 3",
            "asserts{kind=user} 16",
            "resident_memory_bytes 128974848");
  }

  @Test
  void version80ReportsItsTicketsWithTheQueues() {
    assertThat(lines(Replies.document("serverStatus-mongod-8.0.json")))
        .contains(
            "tickets{mode=read,state=out} 9",
            "tickets{mode=read,state=available} 7",
            "tickets{mode=read,state=total} 16",
            "tickets{mode=write,state=out} 3",
            "tickets{mode=write,state=available} 13",
            "tickets{mode=write,state=total} 16",
            "checkpoint_seconds 750",
            "latency_seconds{operation=write} 2500",
            "cache_bytes{kind=max} 4294967296")
        .hasSize(49);
  }

  @Test
  void aVersionThatReportsTicketsTwiceGetsOneSeries() {
    BsonDocument both = Replies.document("serverStatus-mongod-4.4.json");
    both.append("queues", Replies.document("serverStatus-mongod-8.0.json").get("queues"));
    assertThat(lines(both))
        .contains("tickets{mode=read,state=out} 9")
        .doesNotContain("tickets{mode=read,state=out} 1")
        .hasSize(49);
  }

  @Test
  void aRouterHasNoStorageEngineAndNoLatencies() {
    assertThat(lines(Replies.document("serverStatus-mongos-8.0.json")))
        .containsExactly(
            "uptime_seconds 86000",
            "operations{operation=insert} 2400000",
            "operations{operation=query} 3400000",
            "operations{operation=update} 600000",
            "operations{operation=delete} 180000",
            "operations{operation=getmore} 82000",
            "operations{operation=command} 310000",
            "connections{state=current} 66",
            "connections{state=available} 51134",
            "connections{state=active} 21",
            "network_bytes{direction=received} 3500000000",
            "network_bytes{direction=sent} 14000000000",
            "page_faults 4",
            "asserts{kind=regular} 0",
            "asserts{kind=warning} 0",
            "asserts{kind=msg} 0",
            "asserts{kind=user} 12",
            "resident_memory_bytes 325058560");
  }

  @Test
  void whatOnlyGrowsIsACounter() {
    List<Reading> readings = readings(Replies.document("serverStatus-mongod-8.0.json"));
    assertThat(readings)
        .filteredOn(reading -> reading.kind() == Reading.Kind.GAUGE)
        .extracting(Reading::name)
        .containsOnly(
            "shardload_mongodb_uptime_seconds",
            "shardload_mongodb_connections",
            "shardload_mongodb_cache_bytes",
            "shardload_mongodb_cursors",
            "shardload_mongodb_tickets",
            "shardload_mongodb_queue",
            "shardload_mongodb_resident_memory_bytes");
  }

  @Test
  void everyReadingNamesItsServer() {
    assertThat(readings(BsonDocument.parse("{uptime: 5}")))
        .singleElement()
        .extracting(Reading::labels)
        .isEqualTo(Map.of("server", "db1:27018", "role", "shard"));
  }

  @Test
  void aFieldOfAnotherTypeIsLeftOut() {
    assertThat(
            lines(BsonDocument.parse("{uptime: 'long', opcounters: 5, connections: {current: 1}}")))
        .containsExactly("connections{state=current} 1");
  }

  private static List<String> lines(BsonDocument serverStatus) {
    return Replies.lines(readings(serverStatus));
  }

  private static List<Reading> readings(BsonDocument serverStatus) {
    Sheet sheet = new Sheet("db1:27018", "shard");
    StatusMetrics.add(serverStatus, sheet);
    return sheet.readings();
  }
}
