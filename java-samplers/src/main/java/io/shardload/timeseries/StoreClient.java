package io.shardload.timeseries;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLException;

/**
 * A time series store with the query API of Prometheus. Each call is one request; every failure is
 * a {@link StoreException} of one line. Redirects are not followed: the credentials are meant for
 * the address that the user gave.
 */
public final class StoreClient {
  private static final Duration LONGEST_CONNECT = Duration.ofSeconds(3);

  /** Half an hour of 256 processors that are scraped every second has about 110 MiB. */
  private static final long MOST_BYTES = 128 << 20;

  /** Writes the body of a request. */
  @FunctionalInterface
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private final String url;
  private final Credentials credentials;
  private final Duration patience;
  private final Replies replies;
  private final HttpClient client;

  /**
   * A client; no request is made yet.
   *
   * @param url address of the query API, where a prefix may be part of the path: what comes before
   *     {@code /api/v1/query}
   * @param patience how long a reply may take
   * @throws StoreException if the URL is not valid
   */
  public StoreClient(String url, Credentials credentials, Duration patience) throws StoreException {
    this.url = url.replaceFirst("/+$", "");
    this.credentials = credentials;
    this.patience = patience;
    replies = new Replies(this.url, credentials);
    boolean isShort = patience.compareTo(LONGEST_CONNECT) < 0;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(isShort ? patience : LONGEST_CONNECT)
            .build();
    check();
  }

  private void check() throws StoreException {
    // Anywhere: a password may contain a slash. It is not in the message.
    if (url.contains("@")) {
      throw new StoreException("the URL of the store contains a user name or a password");
    }
    request("/api/v1/query");
  }

  /** The address, without a slash at its end. */
  public String url() {
    return url;
  }

  /**
   * Determines the kind of store, which also checks the address and the credentials. The number 1
   * is a scalar in PromQL; MetricsQL, the language of VictoriaMetrics, has no scalars and makes a
   * vector of it. Unlike the pages on versions this is the same behind every prefix and proxy.
   */
  public StoreKind kind() throws StoreException {
    String type = replies.resultType(form("/api/v1/query", "query", "1"));
    return type.equals("scalar") ? StoreKind.PROMETHEUS : StoreKind.VICTORIA_METRICS;
  }

  /**
   * The samples as they were scraped, of all series of a selector.
   *
   * @param selector as PromQL writes it, {@code name{label="value"}}
   * @param from first moment, seconds since 1970
   * @param to last moment
   */
  public List<Series> samples(String selector, double from, double to) throws StoreException {
    // Neither store takes a range of nothing, and not all count its first moment in.
    long millis = (long) Math.ceil((to - from) * 1000) + 1;
    return replies.series(
        form(
            "/api/v1/query",
            "query",
            "%s[%dms]".formatted(selector, millis),
            "time",
            seconds(to),
            // Otherwise VictoriaMetrics leaves the newest seconds out.
            "nocache",
            "1"));
  }

  /**
   * The value of an expression at a moment, 0 if it finds nothing.
   *
   * @param expression with one value at most, as a {@code sum} has
   * @param at seconds since 1970
   */
  public double number(String expression, double at) throws StoreException {
    return replies.number(
        form("/api/v1/query", "query", expression, "time", seconds(at), "nocache", "1"));
  }

  /** Deletes all samples of the series of selectors. Prometheus takes it only where this is on. */
  public void delete(List<String> selectors) throws StoreException {
    String[] parameters =
        selectors.stream()
            .flatMap(each -> List.of("match[]", each).stream())
            .toArray(String[]::new);
    replies.body(form("/api/v1/admin/tsdb/delete_series", parameters));
  }

  /**
   * Sends a body of any length, compressed, while it is being written; the calling thread writes
   * it. If the writing fails, the request is broken off and the failure passed on.
   *
   * @param path after the address, {@code /api/v1/import/prometheus}
   */
  public void post(String path, String contentType, Content content) throws IOException {
    CompletableFuture<?>[] sent = new CompletableFuture<?>[1];
    Upload upload = new Upload(patience, () -> sent[0].isDone());
    HttpRequest.Builder request =
        request(path).header("Content-Type", contentType).header("Content-Encoding", "gzip");
    CompletableFuture<HttpResponse<byte[]>> answer =
        send(request.POST(BodyPublishers.ofByteArrays(upload)));
    sent[0] = answer;
    try {
      OutputStream out = new GZIPOutputStream(upload);
      content.writeTo(out);
      out.close(); // Not after a failure: it would end the body as if it were whole.
    } catch (IOException | RuntimeException e) {
      upload.abort();
      if (answer.isDone() && !answer.isCancelled()) {
        replies.body(reply(answer));
      }
      answer.cancel(true);
      throw e;
    }
    replies.body(reply(answer));
  }

  private HttpResponse<byte[]> form(String path, String... parameters) throws StoreException {
    BodyPublisher body = BodyPublishers.ofString(encoded(parameters));
    HttpRequest.Builder request =
        request(path).header("Content-Type", "application/x-www-form-urlencoded");
    return reply(send(request.POST(body)));
  }

  private HttpRequest.Builder request(String path) throws StoreException {
    try {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
      credentials.authorization().ifPresent(value -> request.header("Authorization", value));
      return request;
    } catch (IllegalArgumentException e) {
      throw new StoreException("\"%s\" is not the URL of a store".formatted(url));
    }
  }

  private CompletableFuture<HttpResponse<byte[]>> send(HttpRequest.Builder request) {
    String why = "the answer of the store at %s has over %d MiB".formatted(url, MOST_BYTES >> 20);
    return client.sendAsync(request.build(), head -> new Bounded(MOST_BYTES, why));
  }

  /** Waits for the whole reply: the timeout of a request does not cover the body. */
  private HttpResponse<byte[]> reply(CompletableFuture<HttpResponse<byte[]>> sent)
      throws StoreException {
    try {
      return sent.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new StoreException(
          "the store at %s has not answered for %d s".formatted(url, patience.toSeconds()));
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the store at %s".formatted(url));
    } catch (ExecutionException e) {
      throw new StoreException(why(e.getCause()));
    }
  }

  private String why(Throwable failure) {
    if (failure instanceof HttpTimeoutException) {
      return "cannot connect to a store at %s: no connection within %d s"
          .formatted(url, Math.min(patience.toSeconds(), LONGEST_CONNECT.toSeconds()));
    }
    if (failure instanceof ConnectException) {
      return "cannot connect to a store at %s: %s".formatted(url, whyNoConnection(failure));
    }
    if (failure instanceof SSLException) {
      return "no secure connection to %s: %s".formatted(url, failure.getMessage());
    }
    return failure instanceof StoreException
        ? failure.getMessage()
        : "the connection to the store at %s broke".formatted(url);
  }

  private static String whyNoConnection(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return "unknown host name";
      }
    }
    String message = failure.getMessage();
    return message == null ? "connection refused" : message.toLowerCase(Locale.ROOT);
  }

  private static String encoded(String... parameters) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parameters.length; i += 2) {
      text.append(i == 0 ? "" : "&")
          .append(URLEncoder.encode(parameters[i], UTF_8))
          .append('=')
          .append(URLEncoder.encode(parameters[i + 1], UTF_8));
    }
    return text.toString();
  }

  private static String seconds(double moment) {
    return String.format(Locale.ROOT, "%.3f", moment);
  }

  /** Takes the body of a reply up to a number of bytes, so that no store can exhaust the memory. */
  private static final class Bounded implements BodySubscriber<byte[]> {
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

  enum StoreKind {
    /** Accepts series of the past, and deletes series. */
    VICTORIA_METRICS("VictoriaMetrics"),
    /** Prometheus, or another store with its query language; accepts no series of the past. */
    PROMETHEUS("Prometheus");

    private final String title;

    StoreKind(String title) {
      this.title = title;
    }

    @Override
    public String toString() {
      return title;
    }
  }

  /**
   * The body of a request that one thread writes while another sends it. A few blocks are in
   * memory, no more: the writer waits for the sender.
   */
  private static final class Upload extends OutputStream implements Iterable<byte[]> {
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int BLOCKS = 4;
    private static final long LOOK_MILLIS = 100;
    private static final byte[] END = {};
    private static final byte[] BROKEN = {};

    private final BlockingQueue<byte[]> blocks = new ArrayBlockingQueue<>(BLOCKS);
    private final Duration patience;
    private final BooleanSupplier isOver;
    private final byte[] block = new byte[BLOCK_BYTES];
    private int used;
    private boolean closed;
    private volatile boolean broken;

    /**
     * @param patience how long the sender may take for one block
     * @param isOver whether nobody sends any longer
     */
    Upload(Duration patience, BooleanSupplier isOver) {
      this.patience = patience;
      this.isOver = isOver;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      int from = offset;
      int left = length;
      while (left > 0) {
        int some = Math.min(left, BLOCK_BYTES - used);
        System.arraycopy(bytes, from, block, used, some);
        used += some;
        from += some;
        left -= some;
        if (used == BLOCK_BYTES) {
          pass();
        }
      }
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        pass();
        put(END);
      }
    }

    /** Breaks the request off: what was written so far is not all. */
    void abort() {
      closed = true;
      broken = true;
      blocks.clear();
      // A writer that is still there may fill the queue again: then its blocks wake the sender.
      boolean ignored = blocks.offer(BROKEN);
    }

    private void pass() throws IOException {
      if (used > 0) {
        put(Arrays.copyOf(block, used));
        used = 0;
      }
    }

    private void put(byte[] bytes) throws IOException {
      long begin = System.nanoTime();
      try {
        while (!blocks.offer(bytes, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          if (isOver.getAsBoolean()) {
            throw new IOException("the request has ended");
          }
          if (System.nanoTime() - begin > patience.toNanos()) {
            throw new StoreException(
                "the store has accepted no data for %d s".formatted(patience.toSeconds()));
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    @Override
    public Iterator<byte[]> iterator() {
      return new Iterator<>() {
        private byte[] next;

        @Override
        public boolean hasNext() {
          if (next == null) {
            try {
              next = blocks.take();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw new IllegalStateException("interrupted", e);
            }
          }
          if (broken) {
            throw new IllegalStateException("the request body was cut off");
          }
          return next != END;
        }

        @Override
        public byte[] next() {
          if (!hasNext()) {
            throw new NoSuchElementException();
          }
          byte[] bytes = next;
          next = null;
          return bytes;
        }
      };
    }
  }
}
