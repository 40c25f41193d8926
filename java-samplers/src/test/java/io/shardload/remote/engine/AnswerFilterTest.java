package io.shardload.remote.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.remote.engine.Probe.State;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;
import org.apache.jmeter.engine.RemoteJMeterEngine;
import org.apache.jmeter.rmi.SSLRMIClientSocketFactory;
import org.apache.jorphan.collections.HashTree;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A load host in the wrong hands, behind real RMI over TLS. */
class AnswerFilterTest {
  private static final AtomicInteger RUN = new AtomicInteger();

  @TempDir Path folder;
  private Path keyStore;

  /** An answer whose deserialisation runs code, as that of a gadget does. */
  private static final class Gadget extends IllegalStateException {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      RUN.incrementAndGet();
    }
  }

  private record Engine(RuntimeException answer) implements RemoteJMeterEngine {
    @Override
    public void rconfigure(HashTree plan, String host, java.io.File base, String script) {
      throw answer;
    }

    @Override
    public void rrunTest() {}

    @Override
    public void rstopTest(boolean now) {}

    @Override
    public void rreset() {}

    @Override
    public void rsetProperties(java.util.HashMap<String, String> properties) {}

    @Override
    public void rexit() {}
  }

  @BeforeEach
  void keys() {
    KeyStores.create(folder.resolve("keys"));
    keyStore = folder.resolve("keys").resolve(KeyStores.FILE);
  }

  /** Mutation: no filter. */
  @Test
  void whatAnEngineAnswersRunsNoCodeOfItsChoice() throws Exception {
    Probe probe = probed("gadget");
    assertThat(RUN).hasValue(0);
    assertThat(probe.state()).isNotIn(State.IDLE, State.BUSY);
    assertThat(probe.why()).as("the answer arrived").contains("filter status: REJECTED");
  }

  @Test
  void theAnswersOfAnEngineAreRead() throws Exception {
    Probe probe = probed("busy");
    assertThat(probe.state()).as("%s", probe).isEqualTo(State.BUSY);
  }

  /** A process of its own: in this one the filter would refuse the controller's plan, too. */
  private Probe probed(String answer) throws Exception {
    int port = TestEngine.freePorts("127.0.0.1");
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LoadHost.class.getName(),
                keyStore.toString(),
                "" + port,
                answer)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (Engines engines = new Engines(List.of("127.0.0.1:" + port), TestEngine.home(), keyStore)) {
      assertThat(host.inputReader().readLine()).isEqualTo("ready");
      return engines.probe().get(0);
    } finally {
      host.destroyForcibly();
    }
  }

  /** Serves an engine that answers everything in one way. */
  static final class LoadHost {
    // RMI holds what it serves weakly: a garbage collection would end the engine and this process.
    private static Engine engine;
    private static Registry registry;

    private LoadHost() {}

    public static void main(String[] arguments) throws Exception {
      Path keyStore = Path.of(arguments[0]);
      SSLRMIClientSocketFactory client = new SSLRMIClientSocketFactory();
      client.setAlias(KeyStores.ALIAS);
      client.setKeystore(keyStore.toString(), KeyStores.TYPE, KeyStores.PASSWORD);
      client.setTruststore(keyStore.toString(), KeyStores.TYPE, KeyStores.PASSWORD);
      RMIServerSocketFactory server = port -> socket(keyStore, port);
      IllegalStateException busy = new IllegalStateException("Engine is busy - please try later");
      busy.addSuppressed(new IOException("as a cause has one", new IllegalArgumentException()));
      engine = new Engine(arguments[2].equals("busy") ? busy : new Gadget());
      registry = LocateRegistry.createRegistry(Integer.parseInt(arguments[1]), client, server);
      registry.rebind("JMeterEngine", UnicastRemoteObject.exportObject(engine, 0, client, server));
      System.out.println("ready");
    }
  }

  private static SSLServerSocket socket(Path keyStore, int port) throws IOException {
    SSLServerSocket socket =
        (SSLServerSocket)
            KeyStores.sslContext(keyStore).getServerSocketFactory().createServerSocket(port);
    socket.setNeedClientAuth(true);
    return socket;
  }
}
