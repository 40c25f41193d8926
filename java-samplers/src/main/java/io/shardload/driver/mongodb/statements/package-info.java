/**
 * Statements from files on MongoDB's protocol: the calls of a run, alone or as one transaction, and
 * the operations before and after a run: collections, loading, checking, plans.
 */
package io.shardload.driver.mongodb.statements;
