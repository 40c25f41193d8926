package io.shardload.remote.engine;

import java.io.ObjectInputFilter;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;

/**
 * What the controller reads of an engine's answers: stubs, and the exceptions that JMeter and the
 * JDK throw there. An engine runs on a machine that the controller need not trust with its own
 * files. Everything else is refused before an object of it exists.
 */
final class AnswerFilter implements ObjectInputFilter {
  private static final long MOST_DEPTH = 100;
  private static final long MOST_REFERENCES = 100_000;
  private static final long MOST_BYTES = 10_000_000;

  private static final Set<String> PACKAGES =
      Set.of(
          "java.lang",
          "java.rmi",
          "java.rmi.dgc",
          "java.rmi.server",
          "org.apache.jmeter.engine",
          "org.apache.jmeter.rmi");

  private static final Set<String> CLASSES =
      Set.of(
          "java.lang.reflect.Proxy",
          "java.util.ArrayList",
          "java.util.Collections$EmptyList",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableRandomAccessList",
          "sun.rmi.server.UnicastRef",
          "sun.rmi.server.UnicastRef2");

  private AnswerFilter() {}

  /**
   * Filters whatever this process deserialises from now on. RMI has no filter of its own for the
   * answers to a client, so it is the filter of the whole process; it can be set once.
   */
  static synchronized void install() {
    if (Config.getSerialFilter() == null) {
      Config.setSerialFilter(new AnswerFilter());
    }
  }

  @Override
  public Status checkInput(FilterInfo info) {
    boolean isSmall =
        info.depth() <= MOST_DEPTH
            && info.references() <= MOST_REFERENCES
            && info.arrayLength() <= MOST_REFERENCES
            && info.streamBytes() <= MOST_BYTES;
    Class<?> read = info.serialClass();
    return isSmall && (read == null || isKnown(read)) ? Status.ALLOWED : Status.REJECTED;
  }

  private static boolean isKnown(Class<?> read) {
    Class<?> type = read;
    while (type.isArray()) {
      type = type.getComponentType();
    }
    // The JDK's own exceptions read only their fields, which are checked as well.
    boolean isOfJdk = Object.class.getModule().equals(type.getModule());
    boolean isKnownProxy =
        Proxy.isProxyClass(type)
            && Arrays.stream(type.getInterfaces()).allMatch(AnswerFilter::isKnown);
    return type.isPrimitive()
        || isKnownProxy
        || PACKAGES.contains(type.getPackageName())
        || CLASSES.contains(type.getName())
        || (isOfJdk && Throwable.class.isAssignableFrom(type));
  }
}
