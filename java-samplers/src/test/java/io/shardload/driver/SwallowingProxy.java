package io.shardload.driver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hangs up instead of passing on the server's answer to the first message that contains a word. The
 * server has done then what it was asked for.
 */
public final class SwallowingProxy extends TcpProxy {
  private final AtomicBoolean swallowed;

  /**
   * @param word in ASCII, in the message whose answer is swallowed
   */
  public SwallowingProxy(int serverPort, String word) throws IOException {
    this(serverPort, word, new AtomicBoolean());
  }

  private SwallowingProxy(int serverPort, String word, AtomicBoolean swallowed) throws IOException {
    super(serverPort, () -> ways(word, swallowed));
    this.swallowed = swallowed;
  }

  private static Ways ways(String word, AtomicBoolean swallowed) {
    AtomicBoolean swallow = new AtomicBoolean();
    return new Ways(
        question -> {
          String text = new String(question, StandardCharsets.ISO_8859_1);
          if (text.contains(word) && swallowed.compareAndSet(false, true)) {
            swallow.set(true);
          }
          return question;
        },
        answer -> swallow.get() ? null : answer);
  }

  /** Whether the answer was swallowed already. */
  public boolean swallowed() {
    return swallowed.get();
  }
}
