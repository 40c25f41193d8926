package io.shardload.data;

/**
 * Zipf-distributed ranks by rejection-inversion: Hoermann and Derflinger, "Rejection-inversion to
 * generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996. Needs no table,
 * so the number of keys may grow from draw to draw.
 */
final class Zipfian implements KeyDistribution {
  private final double exponent;
  private final double areaOfFirst;
  private final double shortcut;

  Zipfian(double exponent) {
    if (!(exponent > 0)) {
      throw new IllegalArgumentException("exponent must be positive: " + exponent);
    }
    this.exponent = exponent;
    this.areaOfFirst = integral(1.5) - 1;
    this.shortcut = 2 - inverse(integral(2.5) - density(2));
  }

  @Override
  public boolean skewed() {
    return true;
  }

  @Override
  public long draw(Draws draws, long n) {
    double areaOfAll = integral((double) n + 0.5);
    while (true) {
      double u = areaOfAll + draws.nextDouble() * (areaOfFirst - areaOfAll);
      double x = inverse(u);
      double rank = Math.max(1, Math.min((double) n, Math.rint(x)));
      if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank)) {
        return (long) rank - 1;
      }
    }
  }

  /** The sum over the keys beyond the first ones is an integral. */
  @Override
  public double[] probabilities(long n, int most) {
    double[] all = new double[(int) Math.min(n, most)];
    double sum = integral((double) n + 0.5) - integral(all.length + 0.5);
    for (int i = 0; i < all.length; i++) {
      all[i] = density(i + 1);
      sum += all[i];
    }
    for (int i = 0; i < all.length; i++) {
      all[i] /= sum;
    }
    return all;
  }

  private double density(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  /** Integral of the density from 1 to x. */
  private double integral(double x) {
    double logX = Math.log(x);
    return expm1Over(logX * (1 - exponent)) * logX;
  }

  private double inverse(double area) {
    double t = Math.max(-1, area * (1 - exponent));
    return Math.exp(log1pOver(t) * area);
  }

  /** (e^x - 1) / x, also near 0. */
  private static double expm1Over(double x) {
    return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2 * (1 + x / 3);
  }

  /** log(1 + x) / x, also near 0. */
  private static double log1pOver(double x) {
    return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x * (0.5 - x / 3);
  }
}
