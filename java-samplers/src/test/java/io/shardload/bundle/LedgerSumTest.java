package io.shardload.bundle;

import static io.shardload.bundle.BundleFixture.parse;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerSumTest {
  private final LedgerSum sum = new LedgerSum();

  @Test
  void addsCountersAndKeepsTheLongestDurations() {
    sum.add(
        parse(
            "{'seq':0,'from_ns':0,'to_ns':1,'cpu_ns':5,'backlog':7,'oldest_unfinished_ns':9,"
                + "'due':{'warm-up':3},'segments':{'warm-up':{'update':{'started':3,'done':2,"
                + "'longest_wait_ns':40,'errors':{'x':1},'max_ns':{'wait':4}}}}}"));
    sum.add(
        parse(
            "{'seq':1,'from_ns':1,'to_ns':2,'cpu_ns':6,'backlog':1,'due':{'warm-up':2,'hold':1},"
                + "'segments':{'warm-up':{'update':{'started':2,'done':3,'longest_wait_ns':30,"
                + "'errors':{'x':1,'y':2},'max_ns':{'wait':3,'service':8}}},"
                + "'hold':{'find':{'started':1}}}}"));
    assertThat(sum.take())
        .isEqualTo(
            parse(
                "{'seq':1,'from_ns':0,'to_ns':2,'cpu_ns':6,'backlog':1,"
                    + "'due':{'warm-up':5,'hold':1},'segments':{'warm-up':{'update':{'started':5,"
                    + "'done':5,'longest_wait_ns':40,'errors':{'x':2,'y':2},"
                    + "'max_ns':{'wait':4,'service':8}}},'hold':{'find':{'started':1}}}}"));
    assertThat(sum.take()).isNull();
  }

  @Test
  void whatStopsOrBeginsIsNotLost() {
    sum.add(parse("{'from_ns':0,'due':{'hold':2},'segments':{'hold':{'find':{'done':1}}}}"));
    sum.add(parse("{'from_ns':1,'segments':{}}"));
    sum.add(parse("{'from_ns':2,'segments':{'cool':{'find':{'done':4}}}}"));
    assertThat(sum.take())
        .isEqualTo(
            parse(
                "{'from_ns':0,'due':{'hold':2},"
                    + "'segments':{'hold':{'find':{'done':1}},'cool':{'find':{'done':4}}}}"));
  }

  /** What was taken is a line of its own: the next one begins anew. */
  @Test
  void aLineThatIsAddedStaysAsItIs() {
    var line = parse("{'from_ns':0,'segments':{'hold':{'find':{'done':1}}}}");
    sum.add(line);
    sum.add(line);
    assertThat(line.toString())
        .isEqualTo("{\"from_ns\":0,\"segments\":{\"hold\":{\"find\":{\"done\":1}}}}");
  }
}
