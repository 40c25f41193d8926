package io.shardload.jenkins.grammar;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A step, an option or another call of a pipeline with its arguments.
 *
 * @param sole the argument that an unnamed value stands for, or null
 * @param block whether the call takes a block
 */
public record Signature(String name, Map<String, Argument> arguments, String sole, boolean block) {
  /** An argument of a call. */
  public record Argument(Type type, boolean required) {}

  /**
   * Reads {@code name argument:type ...}: a name that ends in {@code {}} takes a block, an argument
   * that begins with {@code =} may stand without its name, a type that ends in {@code !} is
   * required.
   */
  public static Signature of(String text) {
    String[] words = text.split(" ", -1);
    boolean block = words[0].endsWith("{}");
    String name = block ? words[0].substring(0, words[0].length() - 2) : words[0];
    Map<String, Argument> arguments = new LinkedHashMap<>();
    String sole = null;
    for (int i = 1; i < words.length; i++) {
      String[] pair = words[i].split(":", -1);
      boolean required = pair[1].endsWith("!");
      String type = required ? pair[1].substring(0, pair[1].length() - 1) : pair[1];
      String argument = pair[0];
      if (argument.startsWith("=")) {
        argument = argument.substring(1);
        sole = argument;
      }
      arguments.put(argument, new Argument(Type.valueOf(type.toUpperCase(Locale.ROOT)), required));
    }
    return new Signature(name, arguments, sole, block);
  }
}
