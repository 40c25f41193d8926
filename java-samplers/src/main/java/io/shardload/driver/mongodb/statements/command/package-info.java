/**
 * Command documents of a workload's files: where parameters stand in them, their values as BSON,
 * and each command as a call of the client's typed API. This package knows no transaction of
 * several statements.
 */
package io.shardload.driver.mongodb.statements.command;
