package io.shardload.remote.wire;

/** Names of the facts in a {@link Message.Hello}. */
public final class HelloFacts {
  /** Whether it is a rehearsal: nothing was opened. */
  public static final String REHEARSAL = "rehearsal";

  public static final String RUN = "run";

  /** Host and port at which the controller reaches the engine. */
  public static final String HOST = "host";

  public static final String GENERATORS = "generators";

  /** Hash of the plan that the generator will run. */
  public static final String SCHEDULE_HASH = "schedule_hash";

  public static final String JMETER = "jmeter";
  public static final String PLUGIN_SHA256 = "plugin_sha256";
  public static final String JAVA = "java";
  public static final String OS = "os";
  public static final String CPU = "cpu";
  public static final String CPUS = "cpus";
  public static final String MEMORY_BYTES = "memory_bytes";
  public static final String PID = "pid";

  /** The host's wall clock minus Redis's. */
  public static final String CLOCK_OFFSET_MILLIS = "clock_offset_ms";

  /** Half of the shortest round trip. */
  public static final String CLOCK_UNCERTAINTY_MILLIS = "clock_uncertainty_ms";

  /** The data set's mark as the generator found it; not in a rehearsal. */
  public static final String HIGH_WATER = "high_water";

  /** The data set's generation as the generator found it; not in a rehearsal. */
  public static final String GENERATION = "generation";

  /** Whether the server runs on the generator's machine; not in a rehearsal. */
  public static final String SHARES_MACHINE = "shares_machine";

  private HelloFacts() {}
}
