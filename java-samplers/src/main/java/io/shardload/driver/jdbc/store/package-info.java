/**
 * What shardload keeps next to the data of an SQL database: the record of a data set, and the
 * scratch schema or database.
 */
package io.shardload.driver.jdbc.store;
