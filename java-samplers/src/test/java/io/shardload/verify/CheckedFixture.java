package io.shardload.verify;

import com.google.gson.JsonObject;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.noop.NoopDriver;
import io.shardload.workload.Checks;
import io.shardload.workload.Model;
import io.shardload.workload.Ports;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A fake target that keeps data, and a fake model whose checks give the answers that a test sets.
 */
final class CheckedFixture implements Checks {
  static final String RUN = "run-1";

  final Target target = target();
  final List<String> asked = new ArrayList<>();
  Verdict before = Verdict.CLEAN;
  Verdict after = Verdict.CLEAN;
  boolean record = true;

  /** The noop target, but for its word that it keeps data. */
  private static Target target() {
    Target noop =
        new NoopDriver()
            .open(
                new TargetConfig("t", "noop", "", "", "", "", new JsonObject()),
                new Session("r", 1, Duration.ofSeconds(1)));
    return (Target)
        Proxy.newProxyInstance(
            Target.class.getClassLoader(),
            new Class<?>[] {Target.class},
            (self, method, args) ->
                method.getName().equals("keepsData") ? true : method.invoke(noop, args));
  }

  /** Answers only what a verification of checks asks of it. */
  Model<?> model() {
    return (Model<?>)
        Proxy.newProxyInstance(
            Model.class.getClassLoader(),
            new Class<?>[] {Model.class},
            (self, method, args) ->
                switch (method.getName()) {
                  case "checks" -> Optional.of(this);
                  case "keepsRecord" -> record;
                  case "followsDocuments" -> false;
                  case "shape" -> Map.of("seed", "1");
                  case "option" -> "";
                  case "tables" -> List.of();
                  case "documents" -> 10L;
                  default -> throw new AssertionError("asked for " + method);
                });
  }

  Header header() {
    try {
      return target.dataSets().header().orElseThrow();
    } catch (io.shardload.workload.CallFailure e) {
      throw new AssertionError(e);
    }
  }

  /** Makes the data set dirty, as the verb begin does. */
  Header begin(String run) throws Exception {
    if (target.dataSets().header().isEmpty()) {
      target
          .dataSets()
          .create(new Header("shop", Map.of("seed", "1"), 10, 10, 12, 0, "", "set", List.of()));
    }
    Header clean = header();
    target.dataSets().replace(clean, clean.dirtiedBy(run));
    return header();
  }

  @Override
  public boolean any(boolean isBefore) {
    return true;
  }

  @Override
  public List<Answer> ask(Ports ports, boolean isBefore, Map<String, Effects> effects) {
    asked.add((isBefore ? "before " : "after ") + effects);
    Verdict verdict = isBefore ? before : after;
    return List.of(new Answer("sums", verdict, 3, verdict == Verdict.WRONG ? "3 rows" : ""));
  }
}
