package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Query;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Stores that are wrong in one way. */
final class WrongStore {
  /** Stands for the answer of a method that has none. */
  static final Object DONE = new Object();

  /** Answers a call in place of the store. */
  @FunctionalInterface
  interface Mistake {
    Object make(DocumentStore store, Object[] arguments) throws CallFailure;
  }

  private WrongStore() {}

  /** A store that makes this mistake in the calls of a transaction, and no other. */
  static DocumentStore of(DocumentStore store, String transaction, Mistake mistake) {
    return (DocumentStore)
        Proxy.newProxyInstance(
            WrongStore.class.getClassLoader(),
            new Class<?>[] {DocumentStore.class},
            (proxy, method, arguments) -> {
              String called =
                  arguments != null && arguments[0] instanceof Query query
                      ? query.find().transaction()
                      : method.getName();
              if (called.equals(transaction)) {
                Object answer = mistake.make(store, arguments);
                return answer == DONE ? null : answer;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
