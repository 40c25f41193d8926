package io.shardload.report;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleReader;
import io.shardload.results.Evaluation;
import io.shardload.results.Summary;
import io.shardload.results.Verdict;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Segments;
import io.shardload.results.measured.Timeline;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A bundle with its summary and timeline.
 *
 * @param summary as in summary.json
 * @param timeline rates and latencies over time
 */
record JudgedRun(Evaluation run, Verdict verdict, JsonObject summary, Timeline timeline) {
  static JudgedRun read(Path directory) throws IOException {
    Bundle bundle = BundleReader.read(directory);
    Segments segments = Segments.of(bundle);
    Timeline timeline = new Timeline(bundle, segments);
    Distributions measured =
        Distributions.read(bundle, segments, timeline.widthSeconds(), timeline);
    Evaluation run = Evaluation.of(bundle, segments, measured);
    Verdict verdict = Verdict.of(run);
    return new JudgedRun(run, verdict, Summary.of(run, verdict), timeline);
  }
}
