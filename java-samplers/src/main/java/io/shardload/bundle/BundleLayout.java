package io.shardload.bundle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where each file of a run bundle is; the package description lists who writes it and when. */
public record BundleLayout(Path directory) {
  private static final String LATENCIES = "latencies";
  private static final String LIVE = "live";
  private static final String JOURNAL = "journal";
  private static final String ARTIFACTS = "taurus";

  /** The stream of all generators together, in a bundle of a run with load hosts. */
  public static final String MERGED = "merged";

  private static final Pattern LEDGER = Pattern.compile("generator-(\\d+)\\.jsonl");
  private static final Pattern JOURNAL_FILE = Pattern.compile("generator-(\\d+)\\.jnl");

  /** The effective configuration. A directory with this file is a bundle. */
  public Path run() {
    return directory.resolve("run.json");
  }

  public Path environment() {
    return directory.resolve("environment.json");
  }

  public Path evidence() {
    return directory.resolve("evidence.json");
  }

  /** What the machines did during the run. */
  public Path hosts() {
    return directory.resolve("hosts.json");
  }

  /** What the sessions of the load did inside the servers. */
  public Path sessions() {
    return directory.resolve("sessions.jsonl");
  }

  /** When faults began and ended, and whether the servers answered. */
  public Path faults() {
    return directory.resolve("faults.jsonl");
  }

  public Path verification() {
    return directory.resolve("verification.json");
  }

  public Path outcome() {
    return directory.resolve("outcome.json");
  }

  public Path summary() {
    return directory.resolve("summary.json");
  }

  public Path report() {
    return directory.resolve("report.html");
  }

  /** What servers such as Jenkins show as test results. */
  public Path junit() {
    return directory.resolve("junit.xml");
  }

  public static String stream(int generator) {
    return "generator-" + generator;
  }

  /** The ledger of a stream: {@link #stream} or {@link #MERGED}. */
  public Path ledger(String stream) {
    return directory.resolve(LATENCIES).resolve(stream + ".jsonl");
  }

  /** The bundle that contains a ledger. */
  static BundleLayout ofLedger(Path ledger) {
    return new BundleLayout(ledger.getParent().getParent());
  }

  public Path histograms(String stream) {
    return directory.resolve(LATENCIES).resolve(stream + ".hlog");
  }

  /** A file of a live stream, counted from 0. */
  Path liveLedger(String stream, long number) {
    return live(stream, number, "jsonl");
  }

  Path liveHistograms(String stream, long number) {
    return live(stream, number, "hlog");
  }

  private Path live(String stream, long number, String suffix) {
    return directory.resolve(LIVE).resolve(stream + "." + number + "." + suffix);
  }

  /** Why a generator could not start or go on, in its own words. */
  public Path error(int generator) {
    return ofGenerator(LATENCIES, generator, "error");
  }

  public Path journal(int generator) {
    return ofGenerator(JOURNAL, generator, "jnl");
  }

  /** That the run has marked the data set. */
  public Path begun() {
    return directory.resolve(JOURNAL).resolve("begun.json");
  }

  /** On a load host: a generator's histograms by segment, as the controller keeps them. */
  public Path segmentHistograms(int generator) {
    return ofGenerator(LATENCIES, generator, "segments.hlog");
  }

  /** On a load host: one row per transaction, where the profile asks for these. */
  public Path samples() {
    return directory.resolve("samples.jtl");
  }

  public Path jmeterLog() {
    return directory.resolve(ARTIFACTS).resolve("jmeter.log");
  }

  /** What JMeter's JVM printed. */
  public Path jmeterOutput() {
    return directory.resolve(ARTIFACTS).resolve("jmeter.out");
  }

  /** The generators that have a ledger. */
  public SortedSet<Integer> generatorsWithLedger() throws IOException {
    return generators(LATENCIES, LEDGER);
  }

  /** The generators that have a journal. */
  public SortedSet<Integer> generatorsWithJournal() throws IOException {
    return generators(JOURNAL, JOURNAL_FILE);
  }

  private Path ofGenerator(String folder, int generator, String suffix) {
    return directory.resolve(folder).resolve(stream(generator) + "." + suffix);
  }

  private SortedSet<Integer> generators(String folder, Pattern name) throws IOException {
    SortedSet<Integer> found = new TreeSet<>();
    Path parent = directory.resolve(folder);
    if (Files.isDirectory(parent)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(parent)) {
        for (Path file : files) {
          Matcher matcher = name.matcher(file.getFileName().toString());
          if (matcher.matches()) {
            found.add(Integer.parseInt(matcher.group(1)));
          }
        }
      }
    }
    return found;
  }
}
