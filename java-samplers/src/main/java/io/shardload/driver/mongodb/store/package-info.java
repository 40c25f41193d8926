/**
 * The transactions and the data of the collection: the statements in BSON, the bulk load, the
 * scratch database and the baseline of calibrate, and the records that shardload keeps about a data
 * set.
 */
package io.shardload.driver.mongodb.store;
