package io.shardload.driver.mongodb.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ConnectionId;
import com.mongodb.connection.ServerId;
import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionReadyEvent;
import io.shardload.driver.Marks;
import org.junit.jupiter.api.Test;

/** What the driver's events mean for calls and for the pool. */
class MongodbPoolEventsTest {
  private final PoolEvents poolEvents = new PoolEvents();
  private final Marks phases = new Marks();

  private static ConnectionId connection(String host) {
    return new ConnectionId(new ServerId(new ClusterId(), new ServerAddress(host)));
  }

  private void checkOut() {
    poolEvents.connectionCheckedOut(new ConnectionCheckedOutEvent(connection("a"), 1, 1_000_000));
  }

  @Test
  void theFirstConnectionOfACallEndsItsWaiting() {
    PoolEvents.Slot slot = poolEvents.slot();
    slot.await(phases);
    assertThat(slot.connected()).isFalse();
    checkOut();
    checkOut();
    assertThat(slot.connected()).isTrue();
    assertThat(phases.names()).containsExactly("connected");
    slot.await(phases);
    assertThat(slot.connected()).isFalse();
  }

  @Test
  void anotherThreadsConnectionIsNotThisOnes() throws InterruptedException {
    poolEvents.slot().await(phases);
    Thread other = new Thread(this::checkOut);
    other.start();
    other.join();
    assertThat(poolEvents.slot().connected()).isFalse();
    assertThat(phases.names()).isEmpty();
  }

  @Test
  void connectionsAreCountedForEachServerUntilTheyClose() {
    ConnectionId first = connection("a:1");
    poolEvents.connectionReady(new ConnectionReadyEvent(first, 0));
    poolEvents.connectionReady(new ConnectionReadyEvent(connection("a:1"), 0));
    poolEvents.connectionReady(new ConnectionReadyEvent(connection("b:1"), 0));
    poolEvents.connectionClosed(
        new ConnectionClosedEvent(first, ConnectionClosedEvent.Reason.ERROR));
    assertThat(poolEvents.ready("a:1")).isEqualTo(1);
    assertThat(poolEvents.ready("b:1")).isEqualTo(1);
    assertThat(poolEvents.ready("c:1")).isZero();
  }

  /** The driver closes what it could not log in with, too. */
  @Test
  void aConnectionThatWasNeverReadyIsNotTakenOff() {
    poolEvents.connectionReady(new ConnectionReadyEvent(connection("a:1"), 0));
    poolEvents.connectionClosed(
        new ConnectionClosedEvent(connection("a:1"), ConnectionClosedEvent.Reason.ERROR));
    assertThat(poolEvents.ready("a:1")).isEqualTo(1);
  }
}
