package io.shardload.jenkins.script;

/** A call with its name: an option, a parameter or a value such as {@code string(...)}. */
public record Call(String name, Arguments arguments) {
  @Override
  public String toString() {
    return name + arguments.named();
  }
}
