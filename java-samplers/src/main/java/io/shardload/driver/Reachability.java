package io.shardload.driver;

import io.shardload.Daemons;
import io.shardload.driver.Hosts.Host;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether servers answer: each host gets the first question of its protocol, all hosts at the same
 * time, and no host is waited for longer than the timeout.
 */
public final class Reachability {
  private static final String TIMED_OUT = "timed out";

  private final long deadline;
  private final Map<Question, CompletableFuture<String>> asked = new LinkedHashMap<>();

  private record Question(Driver driver, Host host) {}

  /**
   * The answers of the hosts.
   *
   * @param text in words
   * @param complete whether every host answered
   */
  public record Answer(String text, boolean complete) {}

  public Reachability(Duration timeout) {
    this.deadline = System.nanoTime() + timeout.toNanos();
  }

  /** Starts the requests to the hosts; hosts with a pending request are not asked again. */
  public void ask(Driver driver, Hosts hosts) {
    hosts.all().forEach(host -> asked.computeIfAbsent(new Question(driver, host), this::begin));
  }

  /** What the hosts of an earlier {@link #ask} answered; waits until the timeout. */
  public Answer answer(Driver driver, Hosts hosts) throws InterruptedException {
    String first = "";
    int silent = 0;
    for (Host host : hosts.all()) {
      String why = await(asked.get(new Question(driver, host)));
      if (!why.isEmpty() && silent++ == 0) {
        first = hosts.size() == 1 ? why : host + ": " + why;
      }
    }
    if (silent == 0) {
      return new Answer(hosts.size() == 1 ? "yes" : "yes, all " + hosts.size() + " hosts", true);
    }
    String text =
        silent < hosts.size()
            ? "%d of %d hosts; %s".formatted(hosts.size() - silent, hosts.size(), first)
            : "no, " + first;
    return new Answer(text, false);
  }

  private CompletableFuture<String> begin(Question question) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    // A name lookup cannot be cancelled, and must not delay the end.
    Daemons.start(() -> answer.complete(greet(question)), "ask " + question.host().toString());
    return answer;
  }

  /** Returns why a host does not answer; empty if it does. */
  private String greet(Question question) {
    Host host = question.host();
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host.name(), host.port()), remainingMillis());
      socket.setSoTimeout(remainingMillis());
      return question.driver().greet(socket);
    } catch (SocketTimeoutException e) {
      return TIMED_OUT;
    } catch (UnknownHostException e) {
      return "the host name is unknown";
    } catch (ConnectException e) {
      return "connection refused";
    } catch (IOException | RuntimeException e) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }

  private String await(CompletableFuture<String> answer) throws InterruptedException {
    try {
      return answer.get(remainingMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return TIMED_OUT;
    } catch (ExecutionException e) {
      throw new AssertionError("errors are answers", e);
    }
  }

  /** At least one: 0 would mean no limit. */
  private int remainingMillis() {
    return (int) Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
  }
}
