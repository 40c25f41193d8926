package io.shardload.cli;

import io.shardload.PlainOutput;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The controller's Java side. People use the launcher; this is what it starts. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1 || !arguments[0].equals("child")) {
      System.err.println("usage: io.shardload.cli.Main child   (started by shardload)");
      System.exit(1);
    }
    // Libraries that print must not garble the conversation.
    Conversation conversation = new Conversation(System.in, System.out);
    System.setErr(PlainOutput.to(System.err));
    System.setOut(System.err);
    // Standard error may be a terminal: do not print the libraries' informational messages there.
    Logger.getLogger("").setLevel(Level.WARNING);
    try (Verbs verbs = new Verbs()) {
      conversation.run(verbs);
    }
    System.exit(0);
  }
}
