package io.shardload.workload.documentstore.port;

/** A column that finds have conditions on. Its values are texts, but those of filter3 are Longs. */
public enum Column {
  FILTER1(1),
  FILTER2(2),
  FILTER3(3),
  FILTER4(4),
  FILTER5(5);

  private final int number;
  private final String title;

  Column(int number) {
    this.number = number;
    this.title = "filter" + number;
  }

  public int number() {
    return number;
  }

  /** Its name in tables and documents. */
  public String title() {
    return title;
  }
}
