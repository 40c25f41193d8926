package io.shardload.compare;

/** The method in words, for compare.json and the page. */
final class Method {
  static final String TEXT =
      "Ratio of a side to the base, A. Repeated runs: the geometric mean of the ratios of the runs"
          + " of each round, with Student's 95 % interval of the log-ratios (paired, n - 1 degrees"
          + " of freedom). The order of the sides turns round from round to round (ABBA BAAB), so"
          + " that a steady drift cancels out. \"Higher\" and \"lower\": the whole interval lies on"
          + " one side of 1; else no difference is shown, which does not prove that there is none:"
          + " the smallest detectable difference is what this many rounds with this spread would"
          + " show in four of five such series. The number of rounds for 5 % is what such a series"
          + " would need to show a difference of 5 %, if it had this spread. Nothing is judged with fewer than five rounds, nor"
          + " where the numbers of rounds in which each side ran first differ by more than one, nor"
          + " are latencies where the shares of failed and unknown calls differ by more than 1 % of"
          + " calls. A percentile among dropped arrivals is a lower bound; so is the ratio then, and"
          + " it is higher only if it is so in every one of at least six rounds. Single runs: a"
          + " moving-block bootstrap over intervals of one second says how the ratio of service"
          + " means would vary had these two runs gone on; it knows nothing of what differs between"
          + " runs, so nothing is judged. A verdict stands alone, at 95 %, however much the runs"
          + " vary: of twenty figures without any difference about one looks different, so decide"
          + " by the sum.";

  private Method() {}
}
