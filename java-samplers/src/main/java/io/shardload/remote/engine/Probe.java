package io.shardload.remote.engine;

import java.io.FileNotFoundException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.rmi.NoSuchObjectException;
import java.rmi.NotBoundException;
import java.security.cert.CertPathValidatorException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * What an engine answered.
 *
 * @param why for people, empty when idle
 */
public record Probe(State state, String why) {
  /** What can be done with the engine. */
  public enum State {
    /** It takes a test. */
    IDLE,
    /** It runs a test of this or another controller. */
    BUSY,
    /** It does not answer; a moment later it may. */
    DEAD,
    /** The configuration is wrong (another key store, unknown name); a retry would fail again. */
    REFUSED
  }

  static final Probe IDLE = new Probe(State.IDLE, "");

  static Probe busy() {
    return new Probe(State.BUSY, "another test runs there");
  }

  static Probe dead(String why) {
    return new Probe(State.DEAD, why);
  }

  static Probe refused(String why) {
    return new Probe(State.REFUSED, why);
  }

  /** Whether the engine takes a test. */
  public boolean isIdle() {
    return state == State.IDLE;
  }

  /** Explains exceptions of sockets, TLS and RMI to the user of a list of hosts. */
  static Probe of(Throwable failure) {
    List<Throwable> causes = causes(failure);
    if (has(causes, UnknownHostException.class)) {
      return refused("unknown host name");
    }
    if (isForeignKey(causes)) {
      return refused(
          "its key store differs from this controller's: copy the controller's key store to the"
              + " load host");
    }
    if (has(causes, FileNotFoundException.class)) {
      return refused(
          "its key store is at another path: controller and engine need it at the same relative"
              + " path ("
              + last(causes)
              + ")");
    }
    if (has(causes, SSLException.class)) {
      return refused(
          "the program listening there does not use TLS: it is not a shardload generator");
    }
    if (has(causes, ConnectException.class)) {
      return dead("nothing listens there: is \"shardload generator\" running?");
    }
    if (has(causes, NoRouteToHostException.class)) {
      return dead("no route to the host");
    }
    if (has(causes, SocketTimeoutException.class)) {
      return dead("no answer in time");
    }
    if (has(causes, NoSuchObjectException.class) || has(causes, NotBoundException.class)) {
      return dead("the engine is starting or stopping");
    }
    return dead(last(causes));
  }

  /** Whether the engine answered, and refused because a test runs. */
  static boolean meansBusy(Throwable failure) {
    return says(failure, "Engine is busy");
  }

  /** Whether the engine answered an empty test as an idle engine does. */
  static boolean meansIdle(Throwable failure) {
    return says(failure, "Could not find the TestPlan class");
  }

  private static boolean says(Throwable failure, String words) {
    return causes(failure).stream()
        .anyMatch(
            cause ->
                cause instanceof IllegalStateException
                    && cause.getMessage() != null
                    && cause.getMessage().contains(words));
  }

  private static boolean isForeignKey(List<Throwable> causes) {
    return has(causes, CertPathValidatorException.class)
        || causes.stream()
            .anyMatch(
                cause ->
                    cause instanceof SSLException
                        && cause.getMessage() != null
                        && cause.getMessage().matches(".*(certificate|PKIX|bad_cert).*"));
  }

  private static boolean has(List<Throwable> causes, Class<? extends Throwable> kind) {
    return causes.stream().anyMatch(kind::isInstance);
  }

  private static String last(List<Throwable> causes) {
    Throwable last = causes.get(causes.size() - 1);
    return last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
  }

  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable cause = failure; cause != null && causes.size() < 20; cause = cause.getCause()) {
      causes.add(cause);
    }
    return causes;
  }
}
