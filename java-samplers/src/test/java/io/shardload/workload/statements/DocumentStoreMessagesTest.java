package io.shardload.workload.statements;

import static io.shardload.driver.Caught.refusalOf;

import com.google.gson.JsonObject;
import io.shardload.Golden;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the keys of {@code workload.data} of document-store refuse, and in which words. */
class DocumentStoreMessagesTest {
  private static final List<String> DATA =
      List.of(
          "{'documents': 40}",
          "{'documents': 40, 'tenants': 41}",
          "{'documents': 40, 'tenants': 0}",
          "{'documents': 40, 'tenants': 'x'}",
          "{'documents': 40, 'tenants': 1.5}",
          "{'documents': 2000000000, 'tenants': 10000001}",
          "{'documents': 40, 'tenants': []}",
          "{'documents': 40, 'rows-per-find': 0}",
          "{'documents': 40, 'rows-per-find': 101}",
          "{'documents': 40, 'document-size': 2048}",
          "{'documents': 40, 'document-size': 'big'}",
          "{'documents': 40, 'document-size': '0B'}",
          "{'documents': 40, 'document-size': '9MiB'}",
          "{'documents': 40, 'compressibility': 1}",
          "{'documents': 40, 'compressibility': 'x'}",
          "{'documents': 40, 'key-distribution': 'zipfain'}",
          "{'documents': 40, 'key-distribution': 'zipfian', 'zipf-exponent': 0}",
          "{'documents': 40, 'zipf-exponent': 0.5}",
          "{'documents': 40, 'tenant': 4}",
          "{'documents': 40, 'tenants': 41, 'rows-per-find': 0}");

  private static String messages() {
    StringBuilder all = new StringBuilder();
    for (String data : DATA) {
      all.append(data).append('\n');
      JsonObject json = BundleFixture.parse(data);
      ConfigException refused =
          refusalOf(() -> new Options("workload.data", json).whole(DocumentStoreFolder::read));
      if (refused != null) {
        refused.problems().forEach(one -> all.append(one.key() + ": " + one.getMessage() + "\n"));
      }
    }
    return all.toString();
  }

  @Test
  void valuesAreRefused() {
    Golden.check("messages.txt", messages());
  }
}
