package io.shardload.driver;

import io.shardload.workload.Phases;
import java.util.ArrayList;
import java.util.List;

/** The phases that calls went through, by their names. */
public record Marks(List<String> names) implements Phases {
  public Marks() {
    this(new ArrayList<>());
  }

  @Override
  public void connected() {
    names.add("connected");
  }

  @Override
  public void found() {
    names.add("found");
  }

  @Override
  public void acknowledged() {
    names.add("acknowledged");
  }
}
