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

/** Explains exceptions of sockets, TLS and RMI to the user of a list of hosts. */
final class Failures {
  private Failures() {}

  static Probe probe(Throwable failure) {
    List<Throwable> causes = causes(failure);
    if (has(causes, UnknownHostException.class)) {
      return Probe.refused("unknown host name");
    }
    if (isForeignKey(causes)) {
      return Probe.refused(
          "its key store differs from this controller's: copy the controller's key store to the load host");
    }
    if (has(causes, FileNotFoundException.class)) {
      return Probe.refused(
          "its key store is at another path: controller and engine need it at the same relative path ("
              + last(causes)
              + ")");
    }
    if (has(causes, SSLException.class)) {
      return Probe.refused(
          "the program listening there does not use TLS: it is not a shardload generator");
    }
    if (has(causes, ConnectException.class)) {
      return Probe.dead("nothing listens there: is \"shardload generator\" running?");
    }
    if (has(causes, NoRouteToHostException.class)) {
      return Probe.dead("no route to the host");
    }
    if (has(causes, SocketTimeoutException.class)) {
      return Probe.dead("no answer in time");
    }
    if (has(causes, NoSuchObjectException.class) || has(causes, NotBoundException.class)) {
      return Probe.dead("the engine is starting or stopping");
    }
    return Probe.dead(last(causes));
  }

  /** Whether the engine answered, and refused because a test runs. */
  static boolean isBusy(Throwable failure) {
    return says(failure, "Engine is busy");
  }

  /** Whether the engine answered an empty test as an idle engine does. */
  static boolean isIdle(Throwable failure) {
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
