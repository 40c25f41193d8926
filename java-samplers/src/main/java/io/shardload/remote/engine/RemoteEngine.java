package io.shardload.remote.engine;

import java.io.File;
import java.nio.file.Path;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.jmeter.engine.JMeterEngineException;
import org.apache.jmeter.engine.RemoteJMeterEngine;
import org.apache.jmeter.rmi.SSLRMIClientSocketFactory;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/**
 * One engine, asked in the calling thread, which may hang forever: callers use a separate thread
 * and stop waiting.
 *
 * <p>Each operation looks the engine up again, because a restarted engine is another object.
 */
final class RemoteEngine {
  private static final String NAME = "JMeterEngine";
  private static final String SCRIPT = "shardload.jmx";
  private static final int POLLS_PER_STOP = 10;
  private static final long POLL_MILLIS = 100;

  private final String host;
  private final int port;
  private final EnginePing ping;
  private final SSLRMIClientSocketFactory sockets = new SSLRMIClientSocketFactory();

  /** The engine process that runs what this controller started there. */
  private final AtomicReference<RemoteJMeterEngine> started = new AtomicReference<>();

  RemoteEngine(String host, int port, EnginePing ping, Path keyStore) {
    this.host = host;
    this.port = port;
    this.ping = ping;
    String file = keyStore.toString();
    sockets.setAlias(KeyStores.ALIAS);
    sockets.setKeystore(file, KeyStores.TYPE, KeyStores.PASSWORD);
    sockets.setTruststore(file, KeyStores.TYPE, KeyStores.PASSWORD);
  }

  String address() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }

  Probe probe() {
    Optional<Probe> trouble = ping.trouble(host, port);
    if (trouble.isPresent()) {
      return trouble.get();
    }
    try {
      return isBusy(lookUp()) ? Probe.busy() : Probe.IDLE;
    } catch (RemoteException | NotBoundException | RuntimeException e) {
      return Probe.of(e);
    }
  }

  /**
   * Starts a test.
   *
   * @param order the state of the order for the caller; once it has been given up, an engine that
   *     took the test late is ended, and its supervisor starts a new one
   * @return why it does not run, or nothing if it does
   */
  Optional<Probe> start(HashTree plan, Map<String, String> properties, Order order) {
    started.set(null);
    Optional<Probe> trouble = ping.trouble(host, port);
    if (trouble.isPresent()) {
      return trouble;
    }
    RemoteJMeterEngine engine;
    try {
      engine = lookUp();
      if (order.isGivenUp()) {
        return Optional.of(Probe.dead("given up"));
      }
      engine.rconfigure(plan, address(), new File("."), SCRIPT);
    } catch (RemoteException | NotBoundException | RuntimeException e) {
      return Optional.of(Probe.meansBusy(e) ? Probe.busy() : Probe.of(e));
    }
    // From here on this controller owns the engine: it has accepted the test, and would be busy
    // forever.
    try {
      if (!order.isGivenUp()) {
        engine.rsetProperties(new HashMap<>(properties));
        engine.rrunTest();
        started.set(engine);
        if (order.finish()) {
          return Optional.empty();
        }
      }
      end(engine);
      return Optional.of(Probe.dead("given up"));
    } catch (RemoteException | JMeterEngineException | RuntimeException e) {
      end(engine);
      return Optional.of(Probe.of(e));
    }
  }

  /**
   * Stops the test that this controller started there, and ends the engine if that does not help.
   *
   * <p>Asks once per second. JMeter does not stop a thread that it is just making, and a thread may
   * ignore an interrupt: after a single request such a test would go on.
   */
  void stop(long patienceMillis) {
    RemoteJMeterEngine engine = started.getAndSet(null);
    // Another process may have taken its place, with another controller's test.
    if (engine == null || ping.trouble(host, port).isPresent()) {
      return;
    }
    try {
      long deadline = System.nanoTime() + patienceMillis * 1_000_000;
      int polls = 0;
      do {
        if (System.nanoTime() > deadline) {
          end(engine);
          return;
        }
        if (polls++ % POLLS_PER_STOP == 0) {
          engine.rstopTest(true);
        }
        Thread.sleep(POLL_MILLIS);
      } while (isBusy(engine));
    } catch (RemoteException | RuntimeException e) {
      // It has ended.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void end(RemoteJMeterEngine engine) {
    try {
      engine.rexit();
    } catch (RemoteException | RuntimeException e) {
      // It has ended.
    }
  }

  private RemoteJMeterEngine lookUp() throws RemoteException, NotBoundException {
    return (RemoteJMeterEngine) LocateRegistry.getRegistry(host, port, sockets).lookup(NAME);
  }

  /** Offers an empty test, which no engine takes: its answer says whether it would take another. */
  private boolean isBusy(RemoteJMeterEngine engine) throws RemoteException {
    try {
      engine.rconfigure(new ListedHashTree(), address(), new File("."), SCRIPT);
      throw new IllegalStateException("the engine accepted an empty test");
    } catch (IllegalStateException e) {
      if (Probe.meansBusy(e)) {
        return true;
      }
      if (Probe.meansIdle(e)) {
        return false;
      }
      throw e;
    }
  }

  /** An order to an engine, which either is done in time or is given up. */
  static final class Order {
    private enum State {
      OPEN,
      DONE,
      GIVEN_UP
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    /** Whether the order is done in time. */
    boolean finish() {
      return state.compareAndSet(State.OPEN, State.DONE);
    }

    /** Whether the order is not done, and from now on must not be. */
    boolean giveUp() {
      return state.compareAndSet(State.OPEN, State.GIVEN_UP);
    }

    boolean isGivenUp() {
      return state.get() == State.GIVEN_UP;
    }
  }
}
