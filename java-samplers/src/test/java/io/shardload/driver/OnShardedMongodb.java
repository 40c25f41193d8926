package io.shardload.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Runs on the sharded cluster that the user names; no registry carries one. */
@Tag("real")
@EnabledIfEnvironmentVariable(
    named = "SHARDLOAD_TEST_MONGODB_SHARDED_URL",
    matches = ".+",
    disabledReason = "not run: SHARDLOAD_TEST_MONGODB_SHARDED_URL names no mongos")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface OnShardedMongodb {}
