import io.shardload.remote.engine.Engines;
import io.shardload.remote.engine.KeyStores;
import java.nio.file.Path;
import java.util.List;

/** Asks the engines of a list of hosts as a controller does, and prints their answers. */
class ProbeEngine {
  public static void main(String[] arguments) {
    Path home = Path.of(arguments[0]);
    List<String> hosts = List.of(arguments[1].split(","));
    try (Engines engines = new Engines(hosts, home, KeyStores.DEFAULT)) {
      engines.probe().forEach((number, answer) -> System.out.println(number + " " + answer.state() + " " + answer.why()));
    }
    System.exit(0);
  }
}
