package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.remote.controller.HostsException;
import io.shardload.verify.WrongDataException;
import io.shardload.workload.CallFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The child's side of the conversation with the controller: one JSON request per line on standard
 * input, replies of the same id on standard output. It ends when standard input closes, also during
 * a verb, so that a child never outlives its controller.
 */
final class Conversation {
  private final BufferedReader requests;
  private final PrintStream replies;

  Conversation(InputStream in, PrintStream out) {
    this.requests = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    this.replies = new PrintStream(out, true, StandardCharsets.UTF_8);
  }

  /** Answers requests until standard input closes. */
  void run(Verbs verbs) throws IOException {
    // Verbs run aside, so that the end of standard input is seen while one is at work.
    ExecutorService worker = Executors.newSingleThreadExecutor(Daemons.named("shardload-verb"));
    String line;
    while ((line = requests.readLine()) != null) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      worker.execute(() -> answer(verbs, request));
    }
    worker.shutdownNow();
  }

  private void answer(Verbs verbs, JsonObject request) {
    Reply reply = new Reply(request.get("id").getAsLong());
    try {
      reply.send("ok", verbs.run(request, reply));
    } catch (ConfigException e) {
      JsonObject error = error(e.getMessage(), 1);
      error.addProperty("key", e.key());
      error.add("advice", new Gson().toJsonTree(e.advice()));
      error.add("problems", problems(e));
      reply.send("error", error);
    } catch (WrongDataException e) {
      reply.send("error", error(e.getMessage(), WrongDataException.EXIT));
    } catch (HostsException e) {
      reply.send("error", error(e.getMessage(), e.exit()));
    } catch (CallFailure e) {
      reply.send("error", error("the target failed: " + e.kind() + ": " + e.getMessage(), 1));
    } catch (IOException e) {
      // Only the others need their class to be understood.
      boolean plain = e.getClass() == IOException.class;
      reply.send("error", error(plain ? e.getMessage() : e.toString(), 1));
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      reply.send("error", error(e.toString(), 2));
    }
  }

  private static JsonArray problems(ConfigException e) {
    JsonArray all = new JsonArray();
    for (ConfigException each : e.problems()) {
      JsonObject problem = new JsonObject();
      problem.addProperty("key", each.key());
      problem.addProperty("message", each.getMessage());
      all.add(problem);
    }
    return all;
  }

  private static JsonObject error(String message, int exit) {
    JsonObject error = new JsonObject();
    error.addProperty("message", message);
    error.addProperty("exit", exit);
    return error;
  }

  /** The answers to one request. */
  private final class Reply implements Listener {
    private static final long PROGRESS_NANOS = 100_000_000;

    private final long id;
    private long lastProgress = System.nanoTime() - PROGRESS_NANOS;

    Reply(long id) {
      this.id = id;
    }

    @Override
    public synchronized void step(String what, long done, long total, String unit) {
      long now = System.nanoTime();
      if (done < total && now - lastProgress < PROGRESS_NANOS) {
        return;
      }
      lastProgress = now;
      JsonObject progress = new JsonObject();
      progress.addProperty("what", what);
      progress.addProperty("done", done);
      progress.addProperty("total", total);
      progress.addProperty("unit", unit);
      send("progress", progress);
    }

    @Override
    public void note(String text) {
      JsonObject reply = new JsonObject();
      reply.addProperty("id", id);
      reply.addProperty("note", text);
      replies.println(reply);
    }

    void send(String kind, JsonObject content) {
      JsonObject reply = new JsonObject();
      reply.addProperty("id", id);
      reply.add(kind, content);
      replies.println(reply);
    }
  }
}
