/** The scratch database, and the records that shardload keeps about a data set. */
package io.shardload.driver.mongodb.store;
