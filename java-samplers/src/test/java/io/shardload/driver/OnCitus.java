package io.shardload.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Runs on the Citus that the user names; no registry carries one. */
@Tag("real")
@EnabledIfEnvironmentVariable(
    named = "SHARDLOAD_TEST_CITUS_URL",
    matches = ".+",
    disabledReason = "not run: SHARDLOAD_TEST_CITUS_URL names no coordinator")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface OnCitus {}
