package io.shardload.compare;

/**
 * The method in words, for compare.json and the page. {@code docs/comparing.md} gives the reasons.
 */
final class Method {
  static final String TEXT =
      "The unit is the run, not the request. Each round gives the ratio of a side to the base, A; the"
          + " result is the geometric mean of these ratios, with Student's 95 % interval of their"
          + " logarithms (paired, n - 1 degrees of freedom). The order of the sides turns from round"
          + " to round (ABBA BAAB), so that a steady drift cancels out. \"Higher\" and \"lower\" mean"
          + " that the whole interval lies on one side of 1. \"No difference shown\" does not prove"
          + " that there is none: the smallest detectable difference is what as many rounds with this"
          + " spread would show in four of five series. The number of rounds for 5 % is what a series"
          + " with this spread needs to show a difference of 5 %. Nothing is judged with fewer than"
          + " five rounds, or if the numbers of rounds in which each side ran first differ by more"
          + " than one. Latencies are not judged if the shares of failed and unknown calls differ by"
          + " more than 1 % of calls. A percentile among dropped arrivals is a lower bound, and so is"
          + " its ratio. It is higher only if it is higher in every one of at least six rounds. Single"
          + " runs: a moving-block bootstrap over intervals of one second shows how the ratio of the"
          + " mean service times would vary if these two runs went on. It does not know what differs"
          + " between runs, so nothing is judged. Each verdict holds by itself, at 95 %, however much the"
          + " runs vary: of twenty figures without a difference, about one looks different. Decide by"
          + " the whole table.";

  private Method() {}
}
