package io.shardload.generator;

import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Transaction;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Stores that tests put between workers and the noop store. */
final class Stores {
  private Stores() {}

  static DocumentStore failing(CallFailure failure) {
    return proxy(
        (method, args) -> {
          throw failure;
        });
  }

  static DocumentStore watching(DocumentStore store, StringBuilder calls) {
    return proxy(
        (method, args) -> {
          // The last argument hears the phases.
          List<Object> asked = Arrays.asList(args).subList(0, args.length - 1);
          calls.append(method.getName()).append(asked).append('\n');
          try {
            return method.invoke(store, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  /** Does something before every call, and passes all on. */
  static DocumentStore calling(DocumentStore store, Runnable before) {
    return proxy(
        (method, args) -> {
          before.run();
          try {
            return method.invoke(store, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  /** Answers every find with the same rows. */
  static DocumentStore answering(List<Document> rows) {
    return proxy((method, args) -> rows);
  }

  /** Throws an error at the first call, and passes the others on. */
  static DocumentStore breaking(DocumentStore store, Error error) {
    AtomicBoolean broken = new AtomicBoolean();
    return proxy(
        (method, args) -> {
          if (broken.compareAndSet(false, true)) {
            throw error;
          }
          return method.invoke(store, args);
        });
  }

  /** Refuses every second call at once, and passes the others on. */
  static DocumentStore refusingEverySecond(DocumentStore store) {
    AtomicInteger calls = new AtomicInteger();
    return proxy(
        (method, args) -> {
          if (calls.getAndIncrement() % 2 == 0) {
            throw new CallFailure("refused", true, false, "connection refused");
          }
          return method.invoke(store, args);
        });
  }

  /** Fails every call, with these failures in turn. */
  static DocumentStore failingInTurn(CallFailure... failures) {
    AtomicInteger calls = new AtomicInteger();
    return proxy(
        (method, args) -> {
          throw failures[calls.getAndIncrement() % failures.length];
        });
  }

  /** Does something in the call of a number, counted from 0, and passes all on. */
  static DocumentStore disturbed(DocumentStore store, int number, Runnable disturbance) {
    AtomicInteger calls = new AtomicInteger();
    return proxy(
        (method, args) -> {
          if (calls.getAndIncrement() == number) {
            disturbance.run();
          }
          return method.invoke(store, args);
        });
  }

  /** How a store answers. */
  private interface Answer {
    Object to(java.lang.reflect.Method method, Object[] args) throws Throwable;
  }

  private static DocumentStore proxy(Answer answer) {
    return proxy(DocumentStore.class, answer);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> answer.to(method, args)));
  }

  /** The same model with something around each prepared call. */
  @SuppressWarnings("unchecked")
  static Model<DocumentStore> preparing(
      Model<DocumentStore> model, UnaryOperator<Call<DocumentStore>> calls) {
    return proxy(
        Model.class,
        (method, args) -> {
          Object answer = method.invoke(model, args);
          return answer instanceof Transaction<?> transaction
              ? proxy(
                  Transaction.class,
                  (inner, with) -> {
                    Object made = inner.invoke(transaction, with);
                    return made instanceof Call<?> call
                        ? calls.apply((Call<DocumentStore>) call)
                        : made;
                  })
              : answer;
        });
  }
}
