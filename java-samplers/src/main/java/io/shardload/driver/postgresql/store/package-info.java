/**
 * The transactions and the data of the table: the statements in SQL, the bulk load by COPY, the
 * scratch schema and the baseline of calibrate, and the records that shardload keeps about a data
 * set.
 */
package io.shardload.driver.postgresql.store;
