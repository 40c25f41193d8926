package io.shardload.driver;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a call was refused with, or how it failed; null if it succeeded. */
public final class Caught {
  private Caught() {}

  public static ConfigException refusalOf(ThrowingCallable call) {
    return catchThrowableOfType(ConfigException.class, call);
  }

  public static CallFailure failureOf(ThrowingCallable call) {
    return catchThrowableOfType(CallFailure.class, call);
  }
}
