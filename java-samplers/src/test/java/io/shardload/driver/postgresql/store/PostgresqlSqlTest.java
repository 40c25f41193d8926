package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The ten transactions as pgjdbc gets them: name, SQL, and place, type and value of each argument.
 */
class PostgresqlSqlTest {
  private static final String DATA =
      "{'documents': 40, 'tenants': 2, 'document-size': '8B', 'rows-per-find': 5}";

  private static final String STATEMENTS =
      """
      update
      UPDATE data_table SET filter2 = ?, filter3 = ?, filter4 = ?, filter5 = ?, edition = ?, \
      updated = now() WHERE id = ? AND filter1 = ? AND edition = ?
      1 String 713eed3d4ec13831, 2 Long 440332398442, 3 String e95ff8b72b6c9231, 4 String \
      316aaa50c2f0f061, 5 Int 1, 6 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 7 String \
      0b11a9e74e106078, 8 Int 0
      delete
      DELETE FROM data_table WHERE id = ? AND filter1 = ?
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String 0b11a9e74e106078
      insert
      INSERT INTO data_table (id, filter1, filter2, filter3, filter4, filter5, document, \
      edition) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      1 Object bd178531-75c4-4325-9427-11237e9fc9a9, 2 String 9ab1e794a2ee54d4, 3 String \
      a2d598abf61ff95e, 4 Long 434396072174, 5 String fca54a7266428cb4, 6 String \
      c0c5c0f726aefde2, 7 String pEqq-M_h, 8 Int 0
      find-by-id-and-filter4-and-filter5-list
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter4 = ? AND filter5 IN (?, ?) LIMIT 100 OFFSET 0
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String 8befb01e9bc82ad4, 3 String \
      01d96fa0061c7d40, 4 String 01d96fa0061c7d40
      find-by-id-and-filter4-list
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter4 IN (?, ?) LIMIT 100 OFFSET 0
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String 8befb01e9bc82ad4, 3 String \
      a2d94142a381d57d
      find-by-id-and-filter5
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter5 = ? LIMIT 100 OFFSET 0
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String 01d96fa0061c7d40
      find-by-id-and-filter2
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter2 = ? LIMIT 1
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String b301f602587383ea
      find-by-id-and-filter2-list
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter2 IN (?, ?) LIMIT 100 OFFSET 0
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String b301f602587383ea, 3 String \
      713eed3d4ec13831
      find-by-id-and-filter3-lte
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter3 <= ? LIMIT 100 OFFSET 0
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 Long 28581861528
      find-by-id-and-filter1
      SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table \
      WHERE id = ? AND filter1 = ? LIMIT 1
      1 Object 307dc898-b58b-4f88-b73c-f551ce4567a2, 2 String 0b11a9e74e106078
      """;

  private final List<String> arguments = new ArrayList<>();
  private String sql;

  @Test
  void transactionsAreTheseStatements() throws CallFailure {
    assertThat(statements()).isEqualTo(STATEMENTS);
  }

  private String statements() throws CallFailure {
    Options data = new Options("data", JsonParser.parseString(DATA).getAsJsonObject());
    return statements(new DocumentStoreWorkload().model(1, data), 7);
  }

  /** The same for an arrival, without the types of the arguments. */
  String untyped(Model<DocumentStore> model, int arrival) throws CallFailure {
    return statements(model, arrival).replaceAll("(\\d) (String|Long|Int|Object) ", "$1 ");
  }

  private String statements(Model<DocumentStore> model, int arrival) throws CallFailure {
    DataSource source = (DataSource) fake(DataSource.class);
    DocumentStore store = new PostgresqlDocumentStore(source, source, 0, 0);
    StringBuilder statements = new StringBuilder();
    for (String name : new DocumentStoreWorkload().transactions()) {
      arguments.clear();
      Keys keys = Keys.alone(States.loaded(40), model.ranks(), 40, 16);
      model.transaction(name).prepare(new Draws().at(1, arrival), keys).run(store, Phases.NONE);
      statements.append(name + "\n" + sql + "\n" + String.join(", ", arguments) + "\n");
    }
    return statements.toString();
  }

  private Object fake(Class<?> type) {
    return Proxy.newProxyInstance(
        PostgresqlSqlTest.class.getClassLoader(), new Class<?>[] {type}, this::answer);
  }

  private Object answer(Object self, Method method, Object[] given) {
    String name = method.getName();
    if (name.equals("prepareStatement")) {
      sql = (String) given[0];
    } else if (name.startsWith("set") && given.length == 2) {
      arguments.add(given[0] + " " + name.substring(3) + " " + given[1]);
    }
    Class<?> type = method.getReturnType();
    if (type.isInterface()) {
      return fake(type);
    }
    return type == boolean.class ? (Object) false : type == int.class ? 1 : null;
  }
}
