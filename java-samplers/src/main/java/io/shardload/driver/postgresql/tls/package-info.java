/**
 * Classes that pgjdbc instantiates by name: for encryption, and for answering password requests.
 */
package io.shardload.driver.postgresql.tls;
