package io.shardload.redis;

import io.shardload.config.ConfigException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.XAddParams;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.params.XTrimParams;

/**
 * A Redis server. Every call waits for an answer at most {@link #TIMEOUT} and is never repeated: a
 * call that fails may have taken effect. After a failure the next call reconnects. Safe for use by
 * several threads.
 */
public final class Redis implements AutoCloseable {
  /** Longest wait for a connection, and for an answer. */
  public static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final int MOST_CONNECTIONS = 4;

  private static final String POLICY = "maxmemory_policy:";

  /** The one field of a message in a stream. */
  private static final byte[] FIELD = {'m'};

  /** What an {@link #exchange} finds: a hash and the server's time in microseconds. */
  public record Exchanged(Map<String, String> hash, long timeMicros) {}

  private final Address address;
  private final JedisPooled pool;

  private Redis(Address address, JedisPooled pool) {
    this.address = address;
    this.pool = pool;
  }

  /**
   * Connects.
   *
   * @param url {@code redis://host:port} or {@code rediss://host:port} (TLS), without user-info
   * @param password null if the server requires none
   * @param tls the trust settings for a {@code rediss:} server; null for the JVM's own trust
   * @throws ConfigException the URL is not valid, the password is wrong, or the server does not
   *     answer
   */
  public static Redis connect(String url, String password, SSLContext tls) {
    Address address = Address.parse(url);
    Redis redis = new Redis(address, pool(address, password, tls));
    try {
      redis.pool.ping();
      return redis;
    } catch (JedisException e) {
      redis.close();
      throw refusal(address, password, e);
    }
  }

  private static JedisPooled pool(Address address, String password, SSLContext tls) {
    DefaultJedisClientConfig.Builder client =
        DefaultJedisClientConfig.builder()
            .timeoutMillis((int) TIMEOUT.toMillis())
            .blockingSocketTimeoutMillis((int) TIMEOUT.toMillis())
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
            .ssl(address.tls());
    if (password != null) {
      client.password(password);
    }
    if (address.tls()) {
      client.sslParameters(withNames());
    }
    if (address.tls() && tls != null) {
      client.sslSocketFactory(tls.getSocketFactory());
    }
    ConnectionPoolConfig connections = new ConnectionPoolConfig();
    connections.setMaxTotal(MOST_CONNECTIONS);
    connections.setMaxWait(TIMEOUT);
    // No background thread for idle connections.
    connections.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
    return new JedisPooled(
        connections, new HostAndPort(address.host(), address.port()), client.build());
  }

  /**
   * The server's certificate must have its host name; a socket alone checks only the authorities.
   */
  private static SSLParameters withNames() {
    SSLParameters parameters = new SSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    return parameters;
  }

  private static ConfigException refusal(Address address, String password, JedisException cause) {
    for (Throwable e = cause; e != null; e = e.getCause()) {
      if (e instanceof JedisAccessControlException || isNoAuth(e)) {
        String why = password == null ? "requires a password" : "rejects the password";
        return new ConfigException(
            "target.redis.password-env", "Redis at " + address + " " + why + ": " + e.getMessage());
      }
    }
    String words = words(cause);
    if (words.contains("No subject alternative") || words.contains("No name matching")) {
      return new ConfigException(
          "target.redis.url", "Redis at " + address + " has a certificate for another host name");
    }
    return new ConfigException("target.redis.url", "no answer from " + address + ": " + words);
  }

  private static boolean isNoAuth(Throwable e) {
    String message = Objects.requireNonNullElse(e.getMessage(), "");
    return e instanceof JedisDataException
        && (message.startsWith("NOAUTH") || message.startsWith("ERR AUTH"));
  }

  /** With the innermost reason, which is the most useful one. */
  private static String words(JedisException cause) {
    Throwable inner = cause;
    Throwable next = cause;
    while (next != null) {
      inner = next;
      // The client stores there why each address of a host refused.
      Throwable[] hidden = next.getSuppressed();
      next = next.getCause() == null && hidden.length > 0 ? hidden[0] : next.getCause();
    }
    return cause.getMessage() + (inner == cause ? "" : " (" + inner.getMessage() + ")");
  }

  private <T> T ask(Supplier<T> question) {
    try {
      return question.get();
    } catch (JedisException e) {
      throw new RedisException("Redis at " + address + ": " + words(e), e);
    }
  }

  /** Host and port, for messages. */
  public Address address() {
    return address;
  }

  /** The server's wall clock in microseconds since 1970. */
  public long timeMicros() {
    return ask(() -> micros(texts(pool.sendCommand(Protocol.Command.TIME))));
  }

  private static List<String> texts(Object answer) {
    return ((List<?>) answer)
        .stream().map(one -> new String((byte[]) one, StandardCharsets.UTF_8)).toList();
  }

  private static long micros(List<String> time) {
    return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
  }

  public boolean exists(String key) {
    return ask(() -> pool.exists(key));
  }

  /** All fields of a hash; none if the key does not exist. */
  public Map<String, String> hgetAll(String key) {
    return ask(() -> pool.hgetAll(key));
  }

  public void hset(String key, Map<String, String> fields) {
    long unused = ask(() -> pool.hset(key, fields));
  }

  /** The text at a key; null if the key does not exist. */
  public String get(String key) {
    return ask(() -> pool.get(key));
  }

  /** Sets a key that does not exist. */
  public void setIfAbsent(String key, String value) {
    long unused = ask(() -> pool.setnx(key, value));
  }

  public void expire(String key, Duration life) {
    long unused = ask(() -> pool.expire(key, life.toSeconds()));
  }

  public void delete(String... keys) {
    long unused = ask(() -> pool.del(keys));
  }

  /** Appends a message to a stream. */
  public void xadd(String stream, byte[] message) {
    byte[] unused =
        ask(() -> pool.xadd(bytes(stream), XAddParams.xAddParams(), Map.of(FIELD, message)));
  }

  /**
   * The messages after an id, oldest first.
   *
   * @param most how many at most
   */
  @SuppressWarnings("unchecked") // A generic array for the variable number of streams.
  public List<StreamEntry> xread(String stream, String afterId, int most) {
    return ask(
        () ->
            entries(
                pool.xread(
                    XReadParams.xReadParams().count(most),
                    Map.entry(bytes(stream), bytes(afterId)))));
  }

  private static List<StreamEntry> entries(List<?> streams) {
    List<StreamEntry> entries = new ArrayList<>();
    if (streams == null) {
      return entries;
    }
    for (Object stream : streams) {
      for (Object one : (List<?>) ((List<?>) stream).get(1)) {
        List<?> entry = (List<?>) one;
        List<?> fields = (List<?>) entry.get(1);
        String id = new String((byte[]) entry.get(0), StandardCharsets.US_ASCII);
        entries.add(new StreamEntry(id, (byte[]) fields.get(1)));
      }
    }
    return entries;
  }

  /** Drops the messages of a stream up to and including an id. */
  public void xtrim(String stream, String throughId) {
    String first = StreamEntry.after(throughId);
    long unused =
        ask(() -> pool.xtrim(stream, XTrimParams.xTrimParams().minId(first).exactTrimming()));
  }

  /** How many messages a stream holds. */
  public long xlen(String stream) {
    return ask(() -> pool.xlen(stream));
  }

  /**
   * Makes changes that take effect together, if a condition on a key holds, and holds until then;
   * looks again if the key was changed meanwhile. No script is needed for that: who may run scripts
   * may attack the server through its interpreter.
   *
   * @param condition asks this server about the key
   * @return whether the changes were made; false if the condition does not hold
   */
  public boolean changeIf(String key, BooleanSupplier condition, Consumer<Changes> changes) {
    return ask(
        () -> {
          List<Object> made = null;
          while (made == null) {
            try (AbstractTransaction transaction = pool.transaction(false)) {
              String unused = transaction.watch(key);
              if (!condition.getAsBoolean()) {
                return false;
              }
              transaction.multi();
              changes.accept(new Changes(transaction));
              made = transaction.exec();
            }
          }
          return true;
        });
  }

  /** What the server does if its memory is full, such as {@code noeviction}. */
  public String maxMemoryPolicy() {
    String memory =
        ask(
            () ->
                new String(
                    (byte[]) pool.sendCommand(Protocol.Command.INFO, "memory"),
                    StandardCharsets.UTF_8));
    return memory
        .lines()
        .filter(line -> line.startsWith(POLICY))
        .findFirst()
        .map(line -> line.substring(POLICY.length()))
        .orElse("");
  }

  /**
   * Appends messages to a stream, then reads a hash and the server's time: one round trip. A
   * failure may come after some of the messages were appended, in their order.
   *
   * @param life how long the stream stays: one that is late makes the stream again after it expired
   */
  public Exchanged exchange(String stream, List<byte[]> messages, String hash, Duration life) {
    return ask(
        () -> {
          try (Pipeline pipeline = pool.pipelined()) {
            byte[] key = bytes(stream);
            List<Response<?>> added = new ArrayList<>();
            for (byte[] message : messages) {
              added.add(pipeline.xadd(key, XAddParams.xAddParams(), Map.of(FIELD, message)));
            }
            added.add(pipeline.expire(key, life.toSeconds()));
            Response<Map<String, String>> fields = pipeline.hgetAll(hash);
            Response<List<String>> time = pipeline.time();
            pipeline.sync();
            // Each throws if the server refused the command.
            added.forEach(Response::get);
            return new Exchanged(fields.get(), micros(time.get()));
          }
        });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    pool.close();
  }

  /** Where a Redis server is, as a target names it. */
  public record Address(String host, int port, boolean tls) {
    private static final int DEFAULT_PORT = 6379;

    /**
     * Reads a URL; the default port is 6379.
     *
     * @param url {@code redis://host:port} or {@code rediss://host:port} (TLS), without user-info
     * @throws ConfigException it is not such a URL
     */
    public static Address parse(String url) {
      URI uri;
      try {
        uri = new URI(url);
      } catch (URISyntaxException e) {
        throw new ConfigException("target.redis.url", "is not a URL: " + e.getReason());
      }
      boolean redis = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
      if (!redis || uri.getHost() == null || uri.getUserInfo() != null) {
        throw new ConfigException(
            "target.redis.url",
            "must be redis://host:port or rediss://host:port, without user-info");
      }
      return new Address(
          uri.getHost(),
          uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
          "rediss".equals(uri.getScheme()));
    }

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /** A message of a stream; its id rises from message to message. */
  @SuppressWarnings("ArrayRecordComponent") // Nobody compares entries.
  public record StreamEntry(String id, byte[] message) {
    /** The id before that of the first message. */
    public static final String BEFORE_FIRST = "0-0";

    /** The lowest id that a later message can have. */
    public static String after(String id) {
      int dash = id.lastIndexOf('-');
      return id.substring(0, dash + 1) + (Long.parseUnsignedLong(id.substring(dash + 1)) + 1);
    }
  }

  /** Changes that take effect together: see {@link Redis#changeIf}. */
  public static final class Changes {
    private final AbstractTransaction transaction;

    Changes(AbstractTransaction transaction) {
      this.transaction = transaction;
    }

    public Changes incrBy(String key, long more) {
      transaction.incrBy(key, more);
      return this;
    }

    public Changes hincrBy(String key, String field, long more) {
      transaction.hincrBy(key, field, more);
      return this;
    }

    public Changes hset(String key, String field, String value) {
      transaction.hset(key, field, value);
      return this;
    }

    /** Sets a field that does not exist. */
    public Changes hsetIfAbsent(String key, String field, String value) {
      transaction.hsetnx(key, field, value);
      return this;
    }

    public Changes expire(String key, Duration life) {
      transaction.expire(key, life.toSeconds());
      return this;
    }
  }
}
