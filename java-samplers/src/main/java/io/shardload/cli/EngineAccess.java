package io.shardload.cli;

import io.shardload.remote.controller.EngineControl;
import io.shardload.remote.engine.Engines;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The engines as a run on load hosts sees them. */
record EngineAccess(Engines engines) implements EngineControl {
  @Override
  public Map<Integer, Probe> probe() {
    Map<Integer, Probe> answers = new TreeMap<>();
    engines
        .probe()
        .forEach(
            (number, probe) ->
                answers.put(number, new Probe(State.valueOf(probe.state().name()), probe.why())));
    return answers;
  }

  @Override
  public Map<Integer, String> start(Path plan, List<Map<String, String>> properties) {
    return engines.start(plan, properties);
  }

  @Override
  public void stop(Collection<Integer> generators) {
    engines.stop(generators);
  }

  @Override
  public void close() {
    engines.close();
  }
}
