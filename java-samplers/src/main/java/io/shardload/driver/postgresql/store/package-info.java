/** The scratch schema, and the records that shardload keeps about a data set. */
package io.shardload.driver.postgresql.store;
