package io.shardload.jenkins;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.ast.expr.Expression;

/**
 * A step, an option or another call with its arguments.
 *
 * @param sole the argument that an unnamed value stands for, or null
 * @param block whether the call takes a block
 */
record Signature(
    String name, List<String> required, List<String> optional, String sole, boolean block) {
  /**
   * Reads {@code name argument ...}: a name that ends in {@code {}} takes a block, an argument that
   * begins with {@code =} may come without its name, and one that ends in {@code ?} is optional.
   */
  static Signature of(String text) {
    String[] words = text.split(" ", -1);
    List<String> required = new ArrayList<>();
    List<String> optional = new ArrayList<>();
    String sole = null;
    for (String word : List.of(words).subList(1, words.length)) {
      String argument = word.replaceAll("[=?]", "");
      (word.endsWith("?") ? optional : required).add(argument);
      sole = word.startsWith("=") ? argument : sole;
    }
    boolean block = words[0].endsWith("{}");
    return new Signature(words[0].replace("{}", ""), required, optional, sole, block);
  }

  /** The arguments of a call by their names; what is wrong with them is a finding. */
  Map<String, Expression> bind(Call call, Source source) {
    Map<String, Expression> given = new LinkedHashMap<>(call.named());
    if (call.unnamed().size() == 1 && sole != null) {
      given.put(sole, call.unnamed().get(0));
    } else if (!call.unnamed().isEmpty()) {
      source.add(call.node(), "%s: the arguments must have names", name);
    }
    if (block != (call.body() != null)) {
      source.add(call.node(), "%s: %s", name, block ? "the block is missing" : "it takes no block");
    }
    List<String> known = new ArrayList<>(required);
    known.addAll(optional);
    for (String argument : given.keySet()) {
      if (!known.contains(argument)) {
        String names = String.join(", ", known);
        source.add(call.node(), "%s: unknown argument \"%s\"; known: %s", name, argument, names);
      }
    }
    for (String argument : required) {
      if (!given.containsKey(argument)) {
        source.add(call.node(), "%s: argument \"%s\" is missing", name, argument);
      }
    }
    return given;
  }
}
