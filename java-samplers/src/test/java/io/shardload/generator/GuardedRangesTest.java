package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.config.Secrets;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.noop.NoopDriver;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.ManualThread;
import io.shardload.keys.Ownership;
import io.shardload.keys.Ranges;
import io.shardload.keys.RangesAhead;
import io.shardload.keys.RangesLostException;
import io.shardload.keys.RedisRanges;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;

/** No range is used before the mark is above it, none twice, and none is lost to an outage. */
class GuardedRangesTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_GUARDED_REDIS";
  private static final int MARK = 5000;
  private static final int SIZE = 64;

  @AutoClose
  private final Target target =
      new NoopDriver()
          .open(
              new TargetConfig("noop", "noop", "", "", "", "", new JsonObject()),
              new Session("run", 1, Duration.ofSeconds(1)));

  private final DataSetStore real = target.dataSets();
  private boolean down;

  /** The data set's record of a database that can be down. */
  private final DataSetStore store =
      store(
          (self, method, args) -> {
            if (down) {
              throw new CallFailure("connection-refused", true, true, "the database is down");
            }
            try {
              return method.invoke(real, args);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
          });

  private static DataSetStore store(InvocationHandler calls) {
    return (DataSetStore)
        Proxy.newProxyInstance(
            DataSetStore.class.getClassLoader(), new Class<?>[] {DataSetStore.class}, calls);
  }

  @BeforeEach
  void createHeader() throws CallFailure {
    real.create(
        new Header("document-store", Map.of(), MARK, MARK, MARK, 0, "run", "set", List.of()));
  }

  private long mark() throws CallFailure {
    return real.header().orElseThrow().highWater();
  }

  private static Ranges counter(AtomicLong next) {
    return new Ranges() {
      @Override
      public long next() {
        return next.getAndAdd(SIZE);
      }

      @Override
      public int size() {
        return SIZE;
      }

      @Override
      public void close() {}
    };
  }

  /** With and without others. Mutation: take another range after a failure. */
  @Test
  void anOutageUsesUpNoRange() throws Exception {
    for (String sharingRun : new String[] {"", "run"}) {
      long before = mark();
      GuardedRanges ranges = new GuardedRanges(counter(new AtomicLong(before)), store, sharingRun);
      down = true;
      for (int i = 0; i < 10_000; i++) {
        assertThatThrownBy(ranges::next).hasMessageContaining("the database is down");
      }
      assertThat(mark()).isEqualTo(before);
      down = false;
      assertThat(ranges.next()).isEqualTo(before);
      assertThat(mark()).isEqualTo(before + SIZE);
    }
  }

  /**
   * All statements fail, or all but those on the header. Mutations: {@code isOutage} false; forget
   * what was given back.
   */
  @Test
  void tenThousandFailedInsertsMoveTheMarkByAtMostOneRange() throws Exception {
    for (boolean headerToo : new boolean[] {true, false}) {
      long loaded = mark();
      ManualThread thread = new ManualThread(true);
      RangesAhead ranges =
          new RangesAhead(
              new GuardedRanges(new LocalRanges(loaded, SIZE), store, ""),
              2,
              thread.executor(),
              e -> {});
      ranges.begin();
      Keys keys =
          new Keys(
              new Ownership(0, 1, loaded),
              States.loaded(loaded),
              KeyDistribution.uniform(),
              ranges,
              Journal.NONE);
      keys.release(keys.claimNew(), State.live(0));
      long before = mark();
      down = headerToo;
      for (int i = 0; i < 10_000; i++) {
        keys.unclaim(keys.claimNew());
      }
      down = false;
      thread.run();
      keys.release(keys.claimNew(), State.live(0));
      assertThat(mark() - before).isLessThanOrEqualTo(SIZE);
      Draws draws = new Draws().at(1, 1);
      assertThat(keys.pickLive(draws)).isNotNegative();
    }
  }

  /** Mutations: replace without the expected header; leave the comparison with the mark out. */
  @Test
  void whateverTheCounterDoesNoOrdinalIsHandedOutTwice() throws Exception {
    AtomicLong counter = new AtomicLong(MARK);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Long> all = new ArrayList<>();
    try {
      List<Callable<List<Long>>> tasks = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Draws draws = new Draws().at(1, t);
        tasks.add(() -> takeFromUnreliable(counter, draws));
      }
      for (var result : threads.invokeAll(tasks)) {
        all.addAll(result.get());
      }
    } finally {
      threads.shutdown();
    }
    assertThat(all).doesNotHaveDuplicates().hasSizeGreaterThan(100);
    assertThat(all.stream().allMatch(first -> first >= MARK && first % SIZE == MARK % SIZE))
        .isTrue();
  }

  private List<Long> takeFromUnreliable(AtomicLong counter, Draws draws) {
    GuardedRanges ranges = new GuardedRanges(counter(counter), store, "run");
    List<Long> taken = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      try {
        if (draws.next(10) == 0) {
          counter.addAndGet(-draws.next(5) * SIZE);
        }
        taken.add(ranges.next());
      } catch (RangesLostException e) {
        // This generator would end; a new one takes its place once the counter was set right.
        counter.accumulateAndGet(currentMark(), Math::max);
        ranges = new GuardedRanges(counter(counter), store, "run");
      }
    }
    return taken;
  }

  private long currentMark() {
    try {
      return mark();
    } catch (CallFailure e) {
      throw new AssertionError(e);
    }
  }

  /**
   * What this generator took itself lies below the restored counter, what the other took above.
   * Mutation: plain raising of the mark.
   */
  @Test
  void aRedisRestoredFromAnOlderSnapshotIsNoticed() throws Exception {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    try (EmbeddedRedis redis = EmbeddedRedis.start(password);
        JedisPooled client =
            new JedisPooled(
                new HostAndPort("127.0.0.1", redis.port()),
                DefaultJedisClientConfig.builder().password(password).build());
        Ranges one = shared(redis);
        Ranges other = shared(redis)) {
      assertThat(one.next()).isEqualTo(MARK);
      assertThat(other.next()).isEqualTo(MARK + SIZE);
      String key = "shardload:run:next-ordinal";
      String snapshot = client.get(key);
      assertThat(other.next()).isEqualTo(MARK + 2 * SIZE);
      assertThat(client.del(key)).isOne();
      assertThat(client.setnx(key, snapshot)).isOne();
      assertThatThrownBy(one::next)
          .isInstanceOf(RangesLostException.class)
          .hasMessageContaining("older state");
    }
  }

  private Ranges shared(EmbeddedRedis redis) {
    return new GuardedRanges(
        RedisRanges.connect(redis.url(), PASSWORD_ENV, "run", MARK, SIZE), store, "run");
  }

  /**
   * Two generators that were given the same range, as by a counter that was set back: the other one
   * moves the mark between the two statements of this one. Mutation: take it as long as the mark is
   * not above its end.
   */
  @Test
  void aRangeThatAnotherOneTookMeanwhileIsLeftUnused() throws Exception {
    Queue<Ranges> faster =
        new ArrayDeque<>(List.of(new GuardedRanges(counter(new AtomicLong(MARK)), real, "run")));
    DataSetStore slow =
        store(
            (self, method, args) -> {
              if (method.getName().equals("replace") && !faster.isEmpty()) {
                assertThat(faster.remove().next()).isEqualTo(MARK);
              }
              return method.invoke(real, args);
            });
    GuardedRanges ranges = new GuardedRanges(counter(new AtomicLong(MARK)), slow, "run");
    assertThat(ranges.next()).isEqualTo(5064);
    assertThat(mark()).isEqualTo(5128);
  }

  /** As a host that was cut off and comes back. Mutation: ignore whose data set it is. */
  @Test
  void anotherRunsDataSetIsLeftAlone() throws Exception {
    GuardedRanges ranges = new GuardedRanges(counter(new AtomicLong(MARK)), store, "run");
    ranges.next();
    Header mine = real.header().orElseThrow();
    real.replace(mine, mine.dirtiedBy("another"));
    assertThatThrownBy(ranges::next)
        .isInstanceOf(RangesLostException.class)
        .hasMessageContaining("another");
    assertThat(mark()).isEqualTo(MARK + SIZE);
  }

  /** A second run of the same name. Mutation: only the name. */
  @Test
  void anotherGenerationIsLeftAlone() throws Exception {
    long generation = real.header().orElseThrow().generation();
    new GuardedRanges(
            counter(new AtomicLong(MARK)), store, "run", generation, MeetingPoint.Lease.UNLIMITED)
        .next();
    GuardedRanges late =
        new GuardedRanges(
            counter(new AtomicLong(MARK + SIZE)),
            store,
            "run",
            generation + 1,
            MeetingPoint.Lease.UNLIMITED);
    assertThatThrownBy(late::next)
        .isInstanceOf(RangesLostException.class)
        .hasMessageContaining("generation");
    assertThat(mark()).isEqualTo(MARK + SIZE);
  }

  /** Mutation: raise the mark without a lease. */
  @Test
  void withoutALeaseTheMarkStays() throws Exception {
    long generation = real.header().orElseThrow().generation();
    GuardedRanges ranges =
        new GuardedRanges(counter(new AtomicLong(MARK)), store, "run", generation, () -> false);
    assertThatThrownBy(ranges::next)
        .isInstanceOf(RangesLostException.class)
        .hasMessageContaining("lease");
    assertThat(mark()).isEqualTo(MARK);
  }

  /** As a failover does to a standby that lagged behind. */
  private void setBack(String dirtyRun) throws CallFailure {
    Header header = real.header().orElseThrow();
    Header before = header.withHighWater(MARK).dirtiedBy(dirtyRun);
    assertThat(real.replace(header, before)).isTrue();
  }

  private static GuardedRanges alone(DataSetStore store) {
    return new GuardedRanges(
        new LocalRanges(MARK, SIZE), store, "run", 0, MeetingPoint.Lease.UNLIMITED, true);
  }

  /** With a range and without. Mutation: look without raising. */
  @Test
  void aMarkThatWasSetBackIsRaisedAgain() throws Exception {
    GuardedRanges ranges = alone(store);
    assertThat(ranges.next()).isEqualTo(MARK);
    assertThat(ranges.next()).isEqualTo(MARK + SIZE);
    setBack("run");
    ranges.look(lost -> assertThat(lost).isNull());
    assertThat(mark()).isEqualTo(MARK + 2 * SIZE);
    setBack("run");
    assertThat(ranges.next()).isEqualTo(MARK + 2 * SIZE);
    assertThat(mark()).isEqualTo(MARK + 3 * SIZE);
  }

  /** Both set back: the mark alone would let the range be used again. Mutation: no memory. */
  @Test
  void aCounterThatWasSetBackWithTheMarkIsNoticed() throws Exception {
    AtomicLong counter = new AtomicLong(MARK);
    GuardedRanges ranges = new GuardedRanges(counter(counter), store, "run");
    assertThat(ranges.next()).isEqualTo(MARK);
    setBack("run");
    counter.set(MARK);
    assertThatThrownBy(ranges::next).isInstanceOf(RangesLostException.class);
  }

  /** Mutation: look at the generation alone. */
  @Test
  void aDataSetThatWasMadeAnewWithinTheRunIsNotTakenForOneSetBack() throws Exception {
    GuardedRanges ranges = alone(store);
    ranges.next();
    Header header = real.header().orElseThrow();
    assertThat(
            real.replace(header, new Header("w", Map.of(), 4, 4, 4, 0, "", "another", List.of())))
        .isTrue();
    assertThatThrownBy(ranges::next)
        .isInstanceOf(RangesLostException.class)
        .hasMessageContaining("was recreated");
  }

  /** Mutation: take it for settled by another verification, or go on. */
  @Test
  void aHeaderFromBeforeTheRunEndsIt() throws Exception {
    GuardedRanges ranges = alone(store);
    ranges.next();
    setBack("");
    List<RangesLostException> lost = new ArrayList<>();
    ranges.look(lost::add);
    assertThat(lost).hasSize(1);
    assertThat(lost.get(0)).hasMessageContaining("lost the run's mark");
    assertThatThrownBy(ranges::next).isInstanceOf(RangesLostException.class);
    assertThat(mark()).isEqualTo(MARK);
  }

  /** Mutation: take the next range. */
  @Test
  void aMoveWhoseAcknowledgementWasLostUsesUpNoRange() throws Exception {
    AtomicLong answers = new AtomicLong();
    DataSetStore cutOff =
        store(
            (self, method, args) -> {
              Object answer = method.invoke(real, args);
              if (method.getName().equals("replace") && answers.getAndIncrement() == 0) {
                throw new CallFailure("connection-lost", false, true, "no answer");
              }
              return answer;
            });
    GuardedRanges ranges = alone(cutOff);
    assertThatThrownBy(ranges::next).hasMessageContaining("no answer");
    assertThat(ranges.next()).isEqualTo(MARK);
    assertThat(mark()).isEqualTo(MARK + SIZE);
  }
}
