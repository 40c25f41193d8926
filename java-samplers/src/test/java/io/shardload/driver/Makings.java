package io.shardload.driver;

import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import java.util.ArrayList;
import java.util.List;

/** How tests have a schema made without a data set. */
public final class Makings {
  private Makings() {}

  /** Drops these tables, as far as they are there, whoever made them. */
  public static Making again(Target target, String... tables) throws CallFailure {
    return again(new ArrayList<>(target.dataSets().look(List.of(tables)).values()));
  }

  public static Making again(List<DataObject> drop) {
    return new Making(true, drop, made -> {});
  }

  /** Drops these objects, and notes what is made. */
  public static Making noting(List<DataObject> drop, List<DataObject> made) {
    return new Making(true, drop, made::addAll);
  }
}
