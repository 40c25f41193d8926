package io.shardload.timeseries.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Takes the body of a reply up to a number of bytes, so that no store can exhaust the memory. */
final class Bounded implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> body = BodySubscribers.ofByteArray();
  private final String why;
  private long room;
  private Flow.Subscription subscription;

  /**
   * A new body.
   *
   * @param most bytes
   * @param why the message of the failure if there are more
   */
  Bounded(long most, String why) {
    this.room = most;
    this.why = why;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    body.onSubscribe(given);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    room -= parts.stream().mapToLong(ByteBuffer::remaining).sum();
    if (room >= 0) {
      body.onNext(parts);
    } else {
      subscription.cancel();
      body.onError(new StoreException(why));
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.onError(failure);
  }

  @Override
  public void onComplete() {
    body.onComplete();
  }
}
