package io.shardload.generator;

import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Stores that tests put between workers and the noop store. */
final class Stores {
  private Stores() {}

  /** What happens before a call is passed on. */
  @FunctionalInterface
  private interface Before {
    void call(Plan plan, Object[] arguments) throws CallFailure;
  }

  /** Passes calls on. */
  private record Passing(StatementStore store, Before before) implements StatementStore {
    @Override
    public String system() {
      return store.system();
    }

    @Override
    public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
        throws CallFailure {
      before.call(plan, arguments);
      store.run(plan, arguments, answers, phases);
    }
  }

  static StatementStore failing(CallFailure failure) {
    return failingInTurn(failure);
  }

  static StatementStore watching(StatementStore store, StringBuilder calls) {
    return new Passing(
        store,
        (plan, arguments) ->
            calls.append(plan.transaction()).append(Arrays.toString(arguments)).append('\n'));
  }

  /** Does something before every call, and passes all on. */
  static StatementStore calling(StatementStore store, Runnable before) {
    return new Passing(store, (plan, arguments) -> before.run());
  }

  /** Throws an error at the first call, and passes the others on. */
  static StatementStore breaking(StatementStore store, Error error) {
    AtomicBoolean broken = new AtomicBoolean();
    return new Passing(
        store,
        (plan, arguments) -> {
          if (broken.compareAndSet(false, true)) {
            throw error;
          }
        });
  }

  /** Refuses every second call at once, and passes the others on. */
  static StatementStore refusingEverySecond(StatementStore store) {
    AtomicInteger calls = new AtomicInteger();
    return new Passing(
        store,
        (plan, arguments) -> {
          if (calls.getAndIncrement() % 2 == 0) {
            throw new CallFailure("refused", true, false, "connection refused");
          }
        });
  }

  /** Fails every call, with these failures in turn. */
  static StatementStore failingInTurn(CallFailure... failures) {
    AtomicInteger calls = new AtomicInteger();
    return new Passing(
        null,
        (plan, arguments) -> {
          throw failures[calls.getAndIncrement() % failures.length];
        });
  }

  /** Does something in the call of a number, counted from 0, and passes all on. */
  static StatementStore disturbed(StatementStore store, int number, Runnable disturbance) {
    AtomicInteger calls = new AtomicInteger();
    return calling(
        store,
        () -> {
          if (calls.getAndIncrement() == number) {
            disturbance.run();
          }
        });
  }

  /** A call whose end throws. */
  record Unfinished(Call<StatementStore> call) implements Call<StatementStore> {
    @Override
    public void run(StatementStore port, Phases phases) throws CallFailure {
      call.run(port, phases);
    }

    @Override
    public Outcome finish(CallFailure failure, boolean unknownBefore) {
      throw new IllegalStateException("a defect");
    }

    @Override
    public void abandon() {
      call.abandon();
    }
  }

  /** How an interface answers. */
  private interface Answer {
    Object to(java.lang.reflect.Method method, Object[] args) throws Throwable;
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
  static Model<StatementStore> preparing(
      Model<StatementStore> model, UnaryOperator<Call<StatementStore>> calls) {
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
                        ? calls.apply((Call<StatementStore>) call)
                        : made;
                  })
              : answer;
        });
  }
}
