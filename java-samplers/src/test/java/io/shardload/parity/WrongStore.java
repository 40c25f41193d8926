package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** Stores that are wrong in one way. */
final class WrongStore {
  /** Stands for the answer of a method that has none. */
  static final Object DONE = new Object();

  /** Answers in place of a method, or null to leave it to the store. */
  @FunctionalInterface
  interface Mistake {
    Object make(DocumentStore store, String method, Object[] arguments) throws CallFailure;
  }

  private WrongStore() {}

  /** A store that makes this mistake in the method of a transaction, and no other. */
  static DocumentStore of(DocumentStore store, String transaction, Mistake mistake) {
    String asMethod = transaction.replace("-", "");
    return (DocumentStore)
        Proxy.newProxyInstance(
            WrongStore.class.getClassLoader(),
            new Class<?>[] {DocumentStore.class},
            (proxy, method, arguments) -> {
              Object answer =
                  method.getName().equalsIgnoreCase(asMethod)
                      ? mistake.make(store, method.getName(), arguments)
                      : null;
              if (answer != null) {
                return answer == DONE ? null : answer;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** What a find answers. */
  @SuppressWarnings("unchecked")
  static List<Document> found(DocumentStore store, String method, Object[] arguments) {
    try {
      for (var candidate : DocumentStore.class.getMethods()) {
        if (candidate.getName().equals(method)) {
          return (List<Document>) candidate.invoke(store, arguments);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalArgumentException(method);
  }
}
