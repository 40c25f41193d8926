package io.shardload.generator.schedule;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Percent per transaction, summing to 100 exactly. The mix is by operations: each arrival draws its
 * transaction. Immutable and thread-safe.
 */
public final class Mix {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

  private final List<String> names;
  private final List<BigDecimal> percents;
  private final double[] bounds;

  private Mix(List<String> names, List<BigDecimal> percents) {
    this.names = List.copyOf(names);
    this.percents = List.copyOf(percents);
    this.bounds = new double[names.size()];
    BigDecimal sum = BigDecimal.ZERO;
    for (int i = 0; i < bounds.length; i++) {
      sum = sum.add(percents.get(i));
      bounds[i] = sum.divide(HUNDRED).doubleValue();
    }
  }

  /**
   * Reads a section of names and percentages.
   *
   * @param known all transactions of the workload
   */
  public static Mix read(Options mix, List<String> known) {
    List<String> names = new ArrayList<>();
    List<BigDecimal> percents = new ArrayList<>();
    BigDecimal sum = BigDecimal.ZERO;
    for (String name : mix.keys()) {
      if (!known.contains(name)) {
        throw ConfigException.unknown(mix.pathOf(name), "transaction", name, known);
      }
      BigDecimal percent = percent(mix, name);
      sum = sum.add(percent);
      if (percent.signum() > 0) {
        names.add(name);
        percents.add(percent);
      }
    }
    if (sum.compareTo(HUNDRED) != 0) {
      throw new ConfigException(
          mix.pathOf("").replaceAll("\\.$", ""),
          "percentages sum to " + sum.toPlainString() + ", not to 100");
    }
    return new Mix(names, percents);
  }

  private static BigDecimal percent(Options mix, String name) {
    String text = mix.requiredText(name);
    try {
      BigDecimal percent = new BigDecimal(text);
      if (percent.signum() >= 0) {
        return percent;
      }
    } catch (NumberFormatException e) {
      throw new ConfigException(mix.pathOf(name), "is not a percentage: '" + text + "'");
    }
    throw new ConfigException(mix.pathOf(name), "is negative: " + text);
  }

  /** Names with a share above 0, in the order of the configuration. */
  public List<String> names() {
    return names;
  }

  double share(int index) {
    return percents.get(index).doubleValue() / 100;
  }

  /** Index into {@link #names()} of the transaction that an arrival draws. */
  int draw(Draws draws) {
    double u = draws.nextDouble();
    int i = 0;
    while (i < bounds.length - 1 && u >= bounds[i]) {
      i++;
    }
    return i;
  }
}
