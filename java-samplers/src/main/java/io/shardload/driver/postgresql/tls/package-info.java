/**
 * What pgjdbc instantiates by name: how it encrypts, and which requests for a password it grants.
 */
package io.shardload.driver.postgresql.tls;
