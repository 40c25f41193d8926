package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.driver.Target;
import io.shardload.faults.Fault;
import io.shardload.faults.Injection;
import io.shardload.faults.Injector;
import io.shardload.faults.Probe;
import io.shardload.generator.RunConfig;
import java.io.IOException;
import java.util.function.Consumer;

/** Injects the faults of the run into its servers, if its profile has any. */
final class FaultVerb implements AutoCloseable {
  private final BuiltInFaults builtIn;
  private final Consumer<FaultsFile.Event> heard;
  private Injector injector;

  FaultVerb(EmbeddedServers embedded, Consumer<FaultsFile.Event> heard) {
    this.builtIn = new BuiltInFaults(embedded);
    this.heard = heard;
  }

  /** Before the load: everything that can fail without a fault. */
  void open(RunConfig config) throws IOException {
    if (!config.faults().isEmpty()) {
      builtIn.settle();
      injector =
          new Injector(
              config.faults(),
              this::injection,
              probe(config),
              new BundleLayout(config.directory()).faults(),
              heard);
    }
  }

  private Injection injection(Fault fault) {
    return fault.isBuiltIn() ? builtIn.injection(fault) : Injection.ofCommands(fault);
  }

  /** A query that every driver has, unless each fault has a command of its own. */
  private static Probe probe(RunConfig config) {
    if (config.faults().stream().noneMatch(fault -> fault.check().isEmpty())) {
      return new Probe(() -> false, () -> {});
    }
    Target target = config.driver().open(config.target(), config.session().asController());
    return new Probe(() -> target.dataSets().header().isPresent(), target);
  }

  /**
   * The load is past its warm-up.
   *
   * @param hosts know when it started on load hosts, by no wall clock; the generator on this
   *     machine has the same wall clock
   */
  JsonObject started(JsonObject request, HostVerbs hosts) {
    if (injector != null) {
      double agoMillis = System.currentTimeMillis() - request.get("epoch_ms").getAsDouble();
      long local = System.nanoTime() - Math.round(agoMillis * 1e6);
      injector.started(
          hosts.startNanos().orElse(local), request.get("warm_up_seconds").getAsDouble());
    }
    return new JsonObject();
  }

  /** The run is being stopped: see {@link Injector#stop}. */
  JsonObject stop() {
    if (injector != null) {
      injector.stop();
    }
    return new JsonObject();
  }

  @Override
  public void close() {
    if (injector != null) {
      injector.close();
      injector = null;
    }
  }
}
