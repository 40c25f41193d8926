package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A page of metrics as a store reads it: the text format, by the test's own hand. */
public final class Scraped {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final Map<String, Double> values = new LinkedHashMap<>();

  /**
   * Asks an endpoint.
   *
   * @throws java.net.ConnectException nobody listens there
   */
  public static Scraped of(String address) throws IOException, InterruptedException {
    return parse(page(address));
  }

  /** The text that an endpoint serves. */
  public static String page(String address) throws IOException, InterruptedException {
    URI uri = URI.create("http://" + address + "/metrics");
    HttpResponse<String> answer =
        CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return plain(answer.body());
  }

  /** A page as people write it: several blanks before a value mean one. */
  static String plain(String page) {
    return page.replaceAll(" {2,}", " ");
  }

  static Scraped parse(String page) {
    Scraped scraped = new Scraped();
    page.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              String series = line.substring(0, space).strip();
              assertThat(scraped.values)
                  .doesNotContainKey(series)
                  .hasSizeLessThan(BucketLayout.MOST_SERIES);
              scraped.values.put(series, Double.valueOf(line.substring(space + 1)));
            });
    return scraped;
  }

  /** All series with their values. */
  public Map<String, Double> values() {
    return values;
  }

  /** The sum of all series of a metric that have these labels, as {@code "phase=\"wait\""}. */
  public double sum(String name, String... labels) {
    List<Double> found = new ArrayList<>();
    values.forEach(
        (series, value) -> {
          if (series.startsWith(name + "{") && Arrays.stream(labels).allMatch(series::contains)) {
            found.add(value);
          }
        });
    assertThat(found).as(name + Arrays.toString(labels)).isNotEmpty();
    return found.stream().mapToDouble(value -> value).sum();
  }
}
