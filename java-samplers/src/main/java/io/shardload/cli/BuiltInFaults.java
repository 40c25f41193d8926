package io.shardload.cli;

import io.shardload.Guard;
import io.shardload.config.ConfigException;
import io.shardload.embedded.LoopDisk;
import io.shardload.faults.Fault;
import io.shardload.faults.Injection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What shardload can do to an embedded server; the Python side knows the same names. */
record BuiltInFaults(EmbeddedServers servers) {
  private static final long FULL_BYTES = 1 << 16;

  /** After the servers have started, and before the load. */
  void settle() {
    if (servers.disk() != null) {
      servers.disk().flush();
    }
  }

  /** How a fault is put into effect on the server that was started. */
  Injection injection(Fault fault) {
    return switch (fault.kind()) {
      case "stop" -> new Stop(servers.processes());
      case "kill" -> new Kill(false);
      case "lose-unsynced" -> new Kill(true);
      case "fill-disk" -> new FullDisk(servers.disk().path().resolve("filler"));
      default -> throw new ConfigException("faults", "no embedded server knows " + fault.kind());
    };
  }

  /** The server is killed, and starts again on the same data at the end. */
  private final class Kill implements Injection {
    private final boolean losesUnsynced;

    /** {@code losesUnsynced} if what was not flushed is lost, as when a machine fails. */
    Kill(boolean losesUnsynced) {
      this.losesUnsynced = losesUnsynced;
    }

    @Override
    public void begin(Guard guard) throws IOException, InterruptedException {
      LoopDisk disk = servers.disk();
      if (losesUnsynced) {
        new Stop(servers.processes()).signal("STOP");
        disk.copy();
      }
      servers.kill();
      if (losesUnsynced) {
        disk.loseUnflushed();
      }
    }

    @Override
    public void end() throws IOException {
      servers.restart();
      settle();
    }

    @Override
    public String undo() {
      return ""; // The server ends with this process anyway.
    }
  }

  /**
   * All processes of the server stand still.
   *
   * @param processes the one that starts the others first, so that it starts no more
   */
  private record Stop(List<ProcessHandle> processes) implements Injection {
    @Override
    public void begin(Guard guard) throws IOException, InterruptedException {
      signal("STOP");
    }

    @Override
    public void end() throws IOException, InterruptedException {
      signal("CONT");
    }

    @Override
    public String undo() {
      return command("CONT");
    }

    private String command(String signal) {
      return processes.stream()
          .map(process -> Long.toString(process.pid()))
          .collect(Collectors.joining(" ", "kill -" + signal + " ", ""));
    }

    private void signal(String name) throws IOException, InterruptedException {
      // A session may have ended meanwhile, but not the server.
      new ProcessBuilder("sh", "-c", command(name)).start().waitFor();
      if (!processes.get(0).isAlive()) {
        throw new IOException("the server's process " + processes.get(0).pid() + " has ended");
      }
    }
  }

  /** The disk is full until the end. A server that has ended by then starts again. */
  private final class FullDisk implements Injection {
    private final Path filler;

    FullDisk(Path filler) {
      this.filler = filler;
    }

    @Override
    public void begin(Guard guard) throws IOException, InterruptedException {
      // It ends when the disk is full.
      new ProcessBuilder("dd", "if=/dev/zero", "bs=4k", "of=" + filler).start().waitFor();
      if (Files.getFileStore(filler).getUsableSpace() > FULL_BYTES) {
        throw new IOException("the disk could not be filled");
      }
    }

    @Override
    public void end() throws IOException {
      Files.deleteIfExists(filler);
      if (!servers.processes().get(0).isAlive()) {
        servers.kill();
        servers.restart();
      }
    }

    @Override
    public String undo() {
      return "rm -f '" + filler + "'";
    }
  }
}
