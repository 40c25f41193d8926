/**
 * Command documents of a workload's files: the positions of their parameters, their values as BSON,
 * and each command as a call of the client's typed API. This package does not handle transactions
 * of several statements.
 */
package io.shardload.driver.mongodb.statements.command;
