package io.shardload.generator;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Clock;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.noop.NoopDriver;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Mix;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.generator.schedule.Segment;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.metrics.IntervalWriter;
import io.shardload.metrics.JitTime;
import io.shardload.metrics.ProcessUse;
import io.shardload.workload.Call;
import io.shardload.workload.Model;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A whole generator (schedule, workers, recorder, files) on the noop driver and a virtual clock.
 * What it measured is read back from the files that it wrote.
 */
final class Simulation {
  static final long DOCUMENTS = 1000;
  private static final long AFTER_END_NANOS = 2_000_000_000;

  private final VirtualClock clock = new VirtualClock();
  private final Path directory;
  private LoadConfig load;
  private String mix = "{\"find-by-id-and-filter1\": 100}";
  private String targetOptions = "{}";
  private long seed = 1;
  private Journal journal = Journal.NONE;
  private MeetingPoint meeting = new LocalMeeting("test", "", "");
  private int mostSlices = Integer.MAX_VALUE;
  private boolean looking;
  private UnaryOperator<StatementStore> decorator = store -> store;
  private UnaryOperator<Call<StatementStore>> calls = call -> call;
  private Consumer<Generator<StatementStore>> events = generator -> {};
  private Supplier<ProcessUse> use = () -> new ProcessUse(0, 0, JitTime.UNKNOWN);

  Simulation(Path directory, LoadConfig load) {
    this.directory = directory;
    this.load = load;
  }

  /** An open model at a constant rate over one segment named {@code hold}. */
  static LoadConfig constant(int workers, double rate, double seconds) {
    return open(workers, 0, hold(rate, seconds));
  }

  static LoadConfig open(int workers, int retries, Segment... segments) {
    return new LoadConfig(
        true, false, workers, 0, 1, List.of(segments), retries, Duration.ofSeconds(10), false);
  }

  /** An open model in steps of equal length, named {@code step-1} and so on. */
  static LoadConfig steps(int workers, double seconds, double... rates) {
    Segment[] steps = new Segment[rates.length];
    for (int i = 0; i < rates.length; i++) {
      String name = "step-" + (i + 1);
      double from = i * seconds;
      steps[i] = segment(name, Segment.Kind.STEP, from, from + seconds, rates[i], rates[i]);
    }
    return open(workers, 0, steps);
  }

  static LoadConfig closed(int workers, Segment... segments) {
    return new LoadConfig(
        false, false, workers, 0, 1, List.of(segments), 0, Duration.ofSeconds(10), false);
  }

  static Segment hold(double rate, double seconds) {
    return segment("hold", Segment.Kind.HOLD, 0, seconds, rate, rate);
  }

  static Segment segment(
      String name, Segment.Kind kind, double from, double to, double fromRate, double toRate) {
    return new Segment(
        name, kind, Math.round(from * 1e9), Math.round(to * 1e9), fromRate, toRate, 1, 1);
  }

  Simulation load(LoadConfig newLoad) {
    load = newLoad;
    return this;
  }

  Simulation mix(String json) {
    mix = json;
    return this;
  }

  Simulation target(String optionsJson) {
    targetOptions = optionsJson;
    return this;
  }

  Simulation seed(long newSeed) {
    seed = newSeed;
    return this;
  }

  Simulation journal(Journal newJournal) {
    journal = newJournal;
    return this;
  }

  Simulation meeting(MeetingPoint newMeeting) {
    meeting = newMeeting;
    return this;
  }

  /** Puts something between the workers and the noop store. */
  Simulation store(UnaryOperator<StatementStore> newDecorator) {
    decorator = newDecorator;
    return this;
  }

  /** Puts something around each call. */
  Simulation calls(UnaryOperator<Call<StatementStore>> newCalls) {
    calls = newCalls;
    return this;
  }

  /** Sets what the process has used so far; without it the JIT compilers are not known. */
  Simulation use(Supplier<ProcessUse> newUse) {
    use = newUse;
    return this;
  }

  /** Looks for silences, as in a run with faults. */
  Simulation looking() {
    looking = true;
    return this;
  }

  /** Ends every worker's thread after so many slices, as JMeter does on "Shutdown". */
  Simulation slices(int most) {
    mostSlices = most;
    return this;
  }

  /** Runs in a thread of its own from time 0 on. */
  Simulation event(Consumer<Generator<StatementStore>> event) {
    events = event;
    return this;
  }

  /** Stops the run at a time. */
  Simulation stoppedAt(long nanos) {
    return event(
        generator -> {
          clock.sleepUntil(nanos);
          generator.run().stop();
        });
  }

  VirtualClock clock() {
    return clock;
  }

  Measured run() throws IOException, InterruptedException {
    Model<StatementStore> model = Stores.preparing(model(), calls);
    Plan plan = plan();
    IntervalWriter records =
        new IntervalWriter(directory, load.generator(), 0, plan.schedule().endNanos(), true);
    try (Target target = target(clock)) {
      StatementStore store = decorator.apply(target.port(StatementStore.class));
      LoadRun<StatementStore> run =
          new LoadRun<>(plan, load, model, keys(model), Generator.recording(plan), store, clock);
      Generator<StatementStore> generator = new Generator<>(run, records, meeting);
      run.startAt(0);
      generator.use(use);
      for (int i = 0; i < load.workers(); i++) {
        Worker<StatementStore> worker = generator.newWorker();
        clock.thread(() -> work(worker));
      }
      HiccupMeter hiccups = new HiccupMeter(run);
      clock.task(
          HiccupMeter.INTERVAL_NANOS,
          now -> {
            long next = hiccups.awake(now);
            return next < run.endNanos() ? next : Long.MAX_VALUE;
          });
      if (looking) {
        clock.task(Silences.LOOK_NANOS, now -> look(generator, now));
      }
      clock.thread(() -> tick(generator));
      clock.thread(() -> events.accept(generator));
      clock.run();
      generator.finish(new Generator.End("schedule", 0, Map.of(), 0, "", ""));
      generator.close();
    }
    return Measured.read(directory.resolve("latencies"), load.generator());
  }

  Plan plan() {
    Options section = new Options("mix", JsonParser.parseString(mix).getAsJsonObject());
    Mix parsed = Mix.read(section, DocumentStoreData.TRANSACTIONS);
    Schedule schedule = new Schedule(load, seed).prolongable(load.mostProlongedNanos());
    return new Plan(schedule, parsed, seed);
  }

  private Model<StatementStore> model() {
    String data = "{'documents': %d, 'tenants': 10, 'document-size': '16B'}";
    return DocumentStoreFolder.model("noop", seed, data.formatted(DOCUMENTS));
  }

  private Keys keys(Model<StatementStore> model) {
    States states = new States();
    states.grow(DOCUMENTS);
    for (long i = 0; i < DOCUMENTS; i++) {
      states.set(i, State.live(0));
    }
    return new Keys(
        new Ownership(0, 1, DOCUMENTS),
        states,
        model.ranks(),
        new LocalRanges(DOCUMENTS, 64),
        journal);
  }

  private Target target(Clock on) {
    JsonObject options = JsonParser.parseString(targetOptions).getAsJsonObject();
    return new NoopDriver(on)
        .open(
            new TargetConfig("noop", "noop", "", "", "", "", options),
            new Session("test", load.workers(), Duration.ofSeconds(10)));
  }

  /** As the sampler does: slices of 100 ms until the run is over, or JMeter ends the thread. */
  private void work(Worker<StatementStore> worker) {
    try {
      for (int slices = 0; slices < mostSlices; slices++) {
        if (worker.work(worker.now() + 100_000_000, Long.MAX_VALUE).over()) {
          return;
        }
      }
    } catch (StackOverflowError e) {
      // That ends a thread of JMeter, and the others go on.
    }
  }

  /** Goes on after the end of the run, as calls do. */
  private static long look(Generator<StatementStore> generator, long now) {
    generator.look();
    return now < generator.run().endNanos() + AFTER_END_NANOS
        ? now + Silences.LOOK_NANOS
        : Long.MAX_VALUE;
  }

  private void tick(Generator<StatementStore> generator) {
    generator.begin();
    for (long second = 1; second * 1e9 < generator.run().endNanos(); second++) {
      clock.sleepUntil(second * 1_000_000_000);
      generator.tick();
    }
  }
}
