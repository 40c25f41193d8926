package io.shardload.remote.engine;

import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.samplers.Remoteable;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

/**
 * The engines of a list of load hosts, by their number in the list.
 *
 * <p>Every call to an engine runs in a thread of its own and is abandoned after a time limit, so
 * that a hanging host does not delay the others. An abandoned call may still arrive when the
 * process continues: an engine that then takes the test is ended at once, as long as this
 * controller lives. No object is exported and no socket listens here. Thread-safe.
 */
public final class Engines implements AutoCloseable {
  /** The port of an engine whose entry names none. */
  public static final int DEFAULT_PORT = 1099;

  private static final long PROBE_SECONDS = 8;
  private static final long START_SECONDS = 15;
  private static final long STOP_SECONDS = 15;
  private static final long STOPPED_MILLIS = 5_000;

  private final List<RemoteEngine> engines;
  private final Path jmeterHome;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Daemons.named("engine-call"));

  /**
   * Prepares; contacts no engine.
   *
   * @param hosts as {@code HOST} or {@code HOST:PORT}
   * @param jmeterHome where JMeter's own settings for reading test plans are
   * @param keyStore relative to the working directory, as the engines have it to theirs: JMeter
   *     sends the path of an engine's key store to this process, which opens that path
   */
  public Engines(List<String> hosts, Path jmeterHome, Path keyStore) {
    AnswerFilter.install();
    this.jmeterHome = jmeterHome;
    EnginePing ping = new EnginePing(KeyStores.sslContext(keyStore));
    engines = new ArrayList<>();
    for (String host : hosts) {
      engines.add(engine(host, ping, keyStore));
    }
  }

  private static RemoteEngine engine(String text, EnginePing ping, Path keyStore) {
    try {
      URI uri = new URI("engine://" + text);
      if (uri.getHost() != null) {
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
        return new RemoteEngine(host, port, ping, keyStore);
      }
    } catch (URISyntaxException e) {
      // Reported below.
    }
    throw new ConfigException("hosts.list", "\"%s\" is not HOST or HOST:PORT".formatted(text));
  }

  /** Asks all engines at once; takes at most 8 s. */
  public Map<Integer, Probe> probe() {
    List<Future<Probe>> asked = engines.stream().map(e -> threads.submit(e::probe)).toList();
    long deadline = deadline(PROBE_SECONDS);
    Map<Integer, Probe> answers = new TreeMap<>();
    for (int i = 0; i < asked.size(); i++) {
      Probe late = Probe.dead("no answer within %d s".formatted(PROBE_SECONDS));
      answers.put(i, await(asked.get(i), deadline).orElse(late));
    }
    return answers;
  }

  /**
   * Starts a test on all engines at once, each with its own JMeter properties. If one does not
   * start, those that did are stopped again; an engine that was busy is not touched.
   *
   * @return why engines do not run the test; empty if all run it
   * @throws ConfigException if the plan cannot be used; no engine was contacted
   */
  public Map<Integer, String> start(Path plan, List<Map<String, String>> propertiesByNumber) {
    HashTree tree = TestPlans.load(plan, jmeterHome);
    List<RemoteEngine.Order> orders = new ArrayList<>();
    List<Future<Optional<Probe>>> asked = new ArrayList<>();
    for (int i = 0; i < engines.size(); i++) {
      RemoteEngine engine = engines.get(i);
      Map<String, String> properties = propertiesByNumber.get(i);
      RemoteEngine.Order order = new RemoteEngine.Order();
      orders.add(order);
      asked.add(threads.submit(() -> engine.start(tree, properties, order)));
    }
    long deadline = deadline(START_SECONDS);
    Map<Integer, String> failures = new TreeMap<>();
    for (int i = 0; i < asked.size(); i++) {
      Optional<Optional<Probe>> answer = await(asked.get(i), deadline);
      if (answer.isPresent()) {
        int number = i;
        answer.get().ifPresent(trouble -> failures.put(number, trouble.why()));
      } else if (orders.get(i).giveUp()) {
        failures.put(i, "the test was not started within %d s".formatted(START_SECONDS));
      }
    }
    if (!failures.isEmpty()) {
      stopAll(engines);
    }
    return failures;
  }

  /**
   * Stops the tests that this object started on engines, all at once; a test that it did not start
   * goes on. Takes at most 15 s.
   */
  public void stop(Collection<Integer> numbers) {
    stopAll(numbers.stream().map(engines::get).toList());
  }

  private void stopAll(List<RemoteEngine> some) {
    List<Future<Boolean>> asked =
        some.stream().map(e -> threads.submit(() -> e.stop(STOPPED_MILLIS), true)).toList();
    long deadline = deadline(STOP_SECONDS);
    asked.forEach(future -> await(future, deadline));
  }

  /** Ends no engine and no test: the generators end the run. */
  @Override
  public void close() {
    threads.shutdown();
  }

  private static long deadline(long seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  private static <T> Optional<T> await(Future<T> future, long deadline) {
    try {
      return Optional.of(future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Reads test plans with JMeter's own reader, in a process other than JMeter. */
  static final class TestPlans {
    private TestPlans() {}

    /**
     * Reads a plan as an engine gets it: without what is disabled.
     *
     * @throws ConfigException if the plan cannot be read, or has a listener that would call this
     *     process back: for that JMeter would open a port here
     */
    static HashTree load(Path plan, Path jmeterHome) {
      prepare(jmeterHome);
      HashTree tree;
      try {
        tree = JMeter.convertSubTree(SaveService.loadTree(plan.toFile()), false);
      } catch (IOException | RuntimeException e) {
        throw new ConfigException(
            "", "the test plan %s cannot be read: %s".formatted(plan, firstLines(e)));
      }
      SearchByClass<Remoteable> remote = new SearchByClass<>(Remoteable.class);
      tree.traverse(remote);
      List<String> names =
          remote.getSearchResults().stream()
              .map(element -> "\"%s\"".formatted(((TestElement) element).getName()))
              .toList();
      if (!names.isEmpty()) {
        throw new ConfigException(
            "",
            "the test plan %s sends samples from load hosts to the controller: remove or disable %s"
                .formatted(plan, String.join(", ", names)));
      }
      return tree;
    }

    /** JMeter explains a broken plan on a page; the third line has its cause. */
    private static String firstLines(Exception e) {
      return String.valueOf(e.getMessage()).lines().limit(3).collect(Collectors.joining(" "));
    }

    private static synchronized void prepare(Path home) {
      if (JMeterUtils.getJMeterProperties() != null) {
        return;
      }
      Path properties = home.resolve("bin").resolve("jmeter.properties");
      if (!Files.isRegularFile(properties)) {
        throw new ConfigException("", "no JMeter in %s".formatted(home));
      }
      JMeterUtils.setJMeterHome(home.toString());
      JMeterUtils.loadJMeterProperties(properties.toString());
    }
  }
}
