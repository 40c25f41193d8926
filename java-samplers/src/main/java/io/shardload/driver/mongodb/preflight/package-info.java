/**
 * The first contact with a server, before anything is created: it answers, the login works, and it
 * supports the options of the target. Each problem is one line that names the key.
 */
package io.shardload.driver.mongodb.preflight;
