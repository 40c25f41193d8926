package io.shardload.driver.mongodb.client;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCompressor;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterSettings;
import com.mongodb.connection.ServerMonitoringMode;
import com.mongodb.internal.build.MongoDriverVersion;
import io.shardload.config.ConfigException;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.Settings.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonString;
import org.bson.UuidRepresentation;

/**
 * The clients: one for transactions, whose pool is filled before the first; one for the data set's
 * record and questions to the server; one without time limits for load, count, walk and schema.
 * Each is opened when it is first asked for. Thread-safe.
 */
public final class Connections implements AutoCloseable {
  private static final String FORM = "mongodb://host:port,host:port/database";
  private static final int DEFAULT_PORT = 27017;
  public static final int LONGEST_DATABASE = 63;
  private static final Pattern DATABASE = Pattern.compile("[^/\\\\. \"$*<>:|?]+");

  /** How much longer than the server the client waits before it abandons a connection. */
  private static final Duration SOCKET_GRACE = Duration.ofSeconds(5);

  /**
   * The driver fills a pool once at the beginning, and looks again after a pause, which is a minute
   * by default. If it hands one of the first connections to a caller that was opening its own
   * connection, that connection is closed and the pool stays short until then.
   */
  private static final long REFILL_PAUSE_MILLIS = 250;

  /** Of the clients that read metrics. */
  private static final String MONITOR = "shardload monitor";

  private static final Duration MONITOR_ANSWER = Duration.ofSeconds(3);

  /** Also how often it is looked whether a server that was down answers. */
  private static final Duration MONITOR_CONNECTING = Duration.ofSeconds(2);

  private final ServerUrl address;
  private final Optional<MongoCredential> credential;
  private final Settings settings;
  private final Session session;
  private final PoolEvents poolEvents = new PoolEvents();
  private MongoClient forTransactions;
  private MongoClient limited;
  private MongoClient unlimited;

  public Connections(
      ServerUrl address,
      String user,
      Optional<String> password,
      Settings settings,
      Session session) {
    this(address, credential(user, password, settings), settings, session);
  }

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  public static ServerUrl address(String url) {
    if (url.startsWith("mongodb+srv://")) {
      throw new ConfigException(
          ServerUrl.KEY,
          "uses a DNS seed list (mongodb+srv), which is not supported; list the hosts instead: "
              + FORM);
    }
    ServerUrl parsed = ServerUrl.parse(url, "mongodb://", DEFAULT_PORT, FORM);
    String database = parsed.database();
    if (!DATABASE.matcher(database).matches() || database.length() > LONGEST_DATABASE) {
      throw new ConfigException(ServerUrl.KEY, "names a database that MongoDB does not allow");
    }
    return parsed;
  }

  private static Optional<MongoCredential> credential(
      String user, Optional<String> password, Settings settings) {
    if (settings.authMechanism().equals(Encryption.X509)) {
      return Optional.of(
          user.isEmpty()
              ? MongoCredential.createMongoX509Credential()
              : MongoCredential.createMongoX509Credential(user));
    }
    if (user.isEmpty()) {
      return Optional.empty();
    }
    if (password.isEmpty()) {
      throw new ConfigException(
          "target.password-env",
          "is missing, but target.user is set; without a login: -o target.user=");
    }
    char[] secret = password.get().toCharArray();
    String source = settings.authSource();
    return Optional.of(
        switch (settings.authMechanism()) {
          case "SCRAM-SHA-1" -> MongoCredential.createScramSha1Credential(user, source, secret);
          case "SCRAM-SHA-256" -> MongoCredential.createScramSha256Credential(user, source, secret);
          case Encryption.PLAIN -> MongoCredential.createPlainCredential(user, source, secret);
          default -> MongoCredential.createCredential(user, source, secret);
        });
  }

  /** The same cluster, but another database, which is made and dropped; clients of its own. */
  public Connections inDatabase(String name) {
    Connections other =
        new Connections(new ServerUrl(address.hosts(), name), credential, settings, session);
    if (settings.topology() == Topology.SHARDED) {
      hosts().forEach(other::flush);
    }
    return other;
  }

  /** A router of MongoDB 4.0 fails to use a database that another one dropped and made again. */
  private void flush(String router) {
    try (MongoClient client = direct(router)) {
      Bson.answer(client, "flushRouterConfig", new BsonString(databaseName()));
    } catch (MongoException e) {
      // A router that is down serves no statement. One that refuses this may never need it.
    }
  }

  private Connections(
      ServerUrl address, Optional<MongoCredential> credential, Settings settings, Session session) {
    this.address = address;
    this.credential = credential;
    this.settings = settings;
    this.session = session;
  }

  public String databaseName() {
    return address.database();
  }

  public Settings settings() {
    return settings;
  }

  public Session session() {
    return session;
  }

  public List<String> hosts() {
    return address.hosts().hostsAndPorts();
  }

  /** Reports the check-outs of {@link #database}. */
  public PoolEvents poolEvents() {
    return poolEvents;
  }

  /** For transactions, with the target's concerns; its pool is full on return. */
  public synchronized MongoDatabase database() {
    if (forTransactions == null) {
      int size = settings.poolSizeFor(session.workers());
      MongoClient client =
          MongoClients.create(
              base(limit())
                  .readPreference(settings.preference())
                  .readConcern(settings.concern())
                  .writeConcern(acknowledgement())
                  .retryReads(settings.retryReads())
                  .retryWrites(settings.retryWrites())
                  .applyToConnectionPoolSettings(
                      pool ->
                          pool.minSize(size)
                              .maxSize(size)
                              .maintenanceFrequency(REFILL_PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                              .addConnectionPoolListener(poolEvents))
                  .build());
      try {
        poolEvents.awaitFull(client, settings.preference(), size, settings.connectTimeout());
      } catch (RuntimeException e) {
        client.close();
        throw e;
      }
      forTransactions = client;
    }
    return forTransactions.getDatabase(databaseName());
  }

  /** Of {@link #database}. */
  public synchronized MongoClient transactionClient() {
    database();
    return forTransactions;
  }

  /** The write concern of {@link #database}. */
  public WriteConcern acknowledgement() {
    return settings.acknowledgement(session.statementTimeout());
  }

  /**
   * For the data set's record and questions to the server: answers within the statement timeout.
   */
  public MongoDatabase record() {
    return recordClient().getDatabase(databaseName());
  }

  /** Of {@link #record}. */
  public synchronized MongoClient recordClient() {
    if (limited == null) {
      limited = MongoClients.create(own(limit()).build());
    }
    return limited;
  }

  /** What {@link #recordClient} finds of a collection or view. */
  public ClusterCatalog catalog(String collection) {
    return new ClusterCatalog(recordClient(), databaseName(), collection);
  }

  /** The servers that {@link #recordClient} has found, for messages. */
  public String members() {
    return recordClient().getClusterDescription().getServerDescriptions().stream()
        .map(server -> server.getAddress().toString())
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** For load, count, walk and schema, which take as long as the data is large. */
  public MongoDatabase administrative() {
    return client().getDatabase(databaseName());
  }

  /** What {@link #client} finds of a collection or view, however long that takes. */
  public ClusterCatalog unlimited(String collection) {
    return new ClusterCatalog(client(), databaseName(), collection);
  }

  /** Of {@link #administrative}. */
  public synchronized MongoClient client() {
    if (unlimited == null) {
      unlimited = MongoClients.create(own(Duration.ZERO).build());
    }
    return unlimited;
  }

  /** A client for a single server, independent of the cluster; the caller closes it. */
  public MongoClient direct(String host) {
    return MongoClients.create(
        own(limit()).applyToClusterSettings(cluster -> single(cluster, host)).build());
  }

  /**
   * A client for reading a server's own metrics; the caller closes it. It has one connection for
   * commands, and gives up soon. {@link Session#APPLICATIONS} does not match its application name,
   * so verification does not wait for it.
   */
  public MongoClient monitor(String host) {
    long millis = MONITOR_CONNECTING.toMillis();
    return MongoClients.create(
        client(MONITOR, MONITOR_CONNECTING, MONITOR_ANSWER)
            .applyToClusterSettings(
                cluster ->
                    single(cluster, host).serverSelectionTimeout(millis, TimeUnit.MILLISECONDS))
            .applyToServerSettings(
                server ->
                    server
                        .heartbeatFrequency(millis, TimeUnit.MILLISECONDS)
                        .serverMonitoringMode(ServerMonitoringMode.POLL))
            .applyToConnectionPoolSettings(pool -> pool.maxSize(1))
            .build());
  }

  /** What the harness itself does is always durable, on the primary and retried by the driver. */
  private MongoClientSettings.Builder own(Duration limit) {
    boolean single = settings.single();
    return base(limit)
        .readPreference(ReadPreference.primary())
        .readConcern(single ? ReadConcern.DEFAULT : ReadConcern.MAJORITY)
        .writeConcern((single ? WriteConcern.W1 : WriteConcern.MAJORITY).withJournal(true))
        .retryReads(true)
        .retryWrites(!single);
  }

  private MongoClientSettings.Builder base(Duration limit) {
    MongoClientSettings.Builder builder =
        client(session.applicationName(), settings.connectTimeout(), limit)
            .uuidRepresentation(UuidRepresentation.STANDARD)
            .applyToClusterSettings(this::cluster);
    if (settings.compressor().equals("zlib")) {
      builder.compressorList(List.of(MongoCompressor.createZlibCompressor()));
    }
    return builder;
  }

  /** What all clients have in common. */
  private MongoClientSettings.Builder client(
      String application, Duration connecting, Duration answer) {
    MongoClientSettings.Builder builder =
        MongoClientSettings.builder()
            .applicationName(application)
            .applyToSocketSettings(
                socket ->
                    socket
                        .connectTimeout(connecting.toMillis(), TimeUnit.MILLISECONDS)
                        .readTimeout(answer.toMillis(), TimeUnit.MILLISECONDS))
            .applyToConnectionPoolSettings(
                pool -> pool.maxWaitTime(connecting.toMillis(), TimeUnit.MILLISECONDS));
    credential.ifPresent(builder::credential);
    settings.encryption().apply(builder);
    return builder;
  }

  /** Leads a client to a single server, independent of the cluster. */
  private static ClusterSettings.Builder single(ClusterSettings.Builder cluster, String host) {
    return cluster.hosts(List.of(new ServerAddress(host))).mode(ClusterConnectionMode.SINGLE);
  }

  private void cluster(ClusterSettings.Builder cluster) {
    cluster
        .hosts(hosts().stream().map(ServerAddress::new).toList())
        .mode(settings.single() ? ClusterConnectionMode.SINGLE : ClusterConnectionMode.MULTIPLE)
        .serverSelectionTimeout(
            settings.serverSelectionTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Zero, as everywhere, stands for no limit. */
  private Duration limit() {
    Duration timeout = session.statementTimeout();
    return timeout.isZero() ? timeout : timeout.plus(SOCKET_GRACE);
  }

  /** Effective settings for the run bundle. */
  public Map<String, String> describe() {
    Map<String, String> all = new TreeMap<>(settings.describe());
    all.put("hosts", address.hosts().toString());
    all.put("pool-size", "" + settings.poolSizeFor(session.workers()));
    all.put("pools", "one per server");
    all.put("statement-timeout", session.statementTimeout().toMillis() + "ms");
    all.put("socket-timeout", limit().toMillis() + "ms");
    all.put(
        "write-concern-timeout",
        settings.wTimeout().orElse(session.statementTimeout()).toMillis() + "ms");
    all.put("mongodb-driver-sync", MongoDriverVersion.VERSION);
    return all;
  }

  @Override
  public synchronized void close() {
    Stream.of(forTransactions, limited, unlimited)
        .filter(Objects::nonNull)
        .forEach(MongoClient::close);
  }
}
