package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Distributions;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Where the time of a mean call goes, in nanoseconds; the parts add up to the mean response time.
 *
 * @param worker the wait for one
 * @param generator the delay that the generators added while a worker was ready
 * @param connect until the call had a connection
 * @param server until the first row or the acknowledgement, the way there and back included
 * @param fetch of the other rows
 */
public record TimeShares(
    double worker, double generator, double connect, double server, double fetch) {
  /**
   * Of one segment.
   *
   * @return null if no call ended in it
   */
  static TimeShares of(Function<String, Histogram> histograms) {
    Histogram service = histograms.apply("service");
    if (service == null || service.getTotalCount() == 0) {
      return null;
    }
    long calls = service.getTotalCount();
    Histogram waits = histograms.apply("wait");
    long waited = waits == null ? 1 : waits.getTotalCount();
    double late = sum(histograms.apply(Distributions.LATE)) / waited;
    double connect = sum(histograms.apply("connect")) / calls;
    double fetch = sum(histograms.apply("fetch")) / calls;
    double server = Math.max(0, service.getMean() - connect - fetch);
    return new TimeShares(Math.max(0, sum(waits) / waited - late), late, connect, server, fetch);
  }

  /** Of all values; null has none. */
  static double sum(Histogram histogram) {
    return histogram == null ? 0 : histogram.getMean() * histogram.getTotalCount();
  }

  double service() {
    return connect + server + fetch;
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.add("worker_ns", Json.rounded(worker));
    json.add("generator_ns", Json.rounded(generator));
    json.add("connect_ns", Json.rounded(connect));
    json.add("server_ns", Json.rounded(server));
    json.add("fetch_ns", Json.rounded(fetch));
    return json;
  }
}
